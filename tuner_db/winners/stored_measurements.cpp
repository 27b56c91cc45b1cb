// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/stored_measurements.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tuner_db/winners/record_row.hpp"

namespace jitune::internal {

StoredMeasurements::StoredMeasurements(OpenStore& store)
    : store_(store),
      of_key_(store.connection(),
              select(table_of<Measurement>(), where_key() + " ORDER BY created_at, rowid")),
      comparisons_(
          store.connection(),
          select(table_of<Measurement>(),
                 where_key_of_near_bucket() + " AND instr(conditions, 'compared') "  // has an index
                                              "ORDER BY created_at, rowid")),
      between_(store.connection(),
               select(table_of<Measurement>(), "WHERE rowid > ?1 AND rowid <= ?2 ORDER BY rowid")),
      put_(store.connection(), insert_measurement()),
      changes_(store.connection(), "SELECT changes()") {}

std::vector<Measurement> StoredMeasurements::find(
    sqlite::Statement& statement, const sqlite::Row& parameters,
    const std::function<bool(const RecordKey&)>& is_wanted) {
    const OpenStore::Turn turn(store_, kSweepWait);
    // A damaged index finds others, too.
    auto rows = read_rows<Measurement>(statement, parameters,
                                       [&](const Measurement& one) { return is_wanted(one.key); });
    store_.add_damaged(rows.damaged);
    return std::move(rows.records);
}

std::vector<StoredMeasurements::Key> StoredMeasurements::keys() {
    const OpenStore::Turn turn(store_, kSweepWait);
    // Sorted as the index is, which holds every column that is read.
    sqlite::Statement statement(
        store_.connection(),
        fmt::format("SELECT {}, count(*) FROM {} GROUP BY kernel, types, "
                    "device_class, bucket, alignment, template_hash",
                    fmt::join(columns_of<RecordKey>(), ", "), Measurement::kTable));
    std::vector<Key> keys;
    for (sqlite::Cursor cursor = statement.run({}); cursor.next();) {
        const sqlite::Row row = cursor.row();
        const auto key = from_cells<RecordKey>(row, 0);
        const auto* const count = std::get_if<std::int64_t>(&row.back());
        if (key && count != nullptr) {
            keys.push_back({*key, *count});
        }
    }
    return keys;
}

std::vector<Measurement> StoredMeasurements::of(const RecordKey& key) {
    return find(of_key_, cells_of(key), [&](const RecordKey& found) { return found == key; });
}

std::vector<Measurement> StoredMeasurements::after(std::int64_t& last) {
    const std::int64_t after = last;
    {
        const OpenStore::Turn turn(store_, kSweepWait);
        last = store_.connection().integer("SELECT coalesce(max(rowid), 0) FROM measurement");
    }
    return find(between_, {after, last}, [](const RecordKey&) { return true; });
}

std::vector<Measurement> StoredMeasurements::comparisons(const RecordKey& key, int half_octaves) {
    sqlite::Row parameters = cells_of(key);
    parameters.emplace_back(std::int64_t{half_octaves});
    return find(comparisons_, parameters,
                [&](const RecordKey& found) { return found.is_like(key); });
}

std::vector<std::string> StoredMeasurements::digests() {
    const OpenStore::Turn turn(store_, kSweepWait);
    sqlite::Statement all(store_.connection(), "SELECT digest FROM measurement ORDER BY digest");
    std::vector<std::string> digests;
    for (sqlite::Cursor cursor = all.run(); cursor.next();) {
        if (const sqlite::Row row = cursor.row(); std::holds_alternative<sqlite::Blob>(row[0])) {
            digests.push_back(std::get<sqlite::Blob>(row[0]).bytes);
        }
    }
    return digests;
}

bool StoredMeasurements::put(const sqlite::Row& row) {
    put_.execute(row);
    sqlite::Cursor changed = changes_.run();
    return !changed.next() || changed.row().front() != sqlite::Cell(std::int64_t{0});
}

}  // namespace jitune::internal
