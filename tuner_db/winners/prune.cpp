// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/prune.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/record_row.hpp"

namespace jitune::internal {

namespace {

std::int64_t changes_of(sqlite::Connection& connection) {
    return connection.integer("SELECT changes()");
}

/// The condition for a measurement that may go: it refutes no stored winner.
constexpr std::string_view kRefutesNone =
    "AND NOT (verdict = 'wrong_result' AND EXISTS (SELECT 1 FROM winner AS w WHERE w.kernel = "
    "measurement.kernel AND w.types = measurement.types AND w.device_class = "
    "measurement.device_class AND w.alignment = measurement.alignment AND w.template_hash = "
    "measurement.template_hash AND w.configuration = measurement.configuration))";

/// The different keys of a table's rows.
std::vector<RecordKey> keys_of(const sqlite::Connection& connection, std::string_view table) {
    sqlite::Statement distinct(
        connection,
        fmt::format("SELECT DISTINCT {} FROM {}", fmt::join(columns_of<RecordKey>(), ", "), table));
    std::vector<RecordKey> keys;
    for (sqlite::Cursor cursor = distinct.run(); cursor.next();) {
        if (auto key = from_cells<RecordKey>(cursor.row(), 0)) {
            keys.push_back(std::move(*key));
        }
    }
    return keys;
}

/// Deletes the winners for which `may_go` is true, except pinned ones.
template <class MayGo>
std::int64_t remove_rows(WinnerTable& winners, const MayGo& may_go) {
    std::int64_t removed = 0;
    for (const std::int64_t rowid : winners.all()) {
        const WinnerTable::Found found = winners.read(rowid);
        if (found.winner && !found.winner->pinned && may_go(found)) {
            winners.drop(rowid, *found.digest);
            ++removed;
        }
    }
    return removed;
}

void remove_dead(sqlite::Connection& connection, WinnerTable& winners, const PruneRules& rules,
                 PruneReport& report) {
    report.winners += remove_rows(
        winners, [&](const WinnerTable::Found& found) { return rules.is_dead(found.winner->key); });
    sqlite::Statement remove(
        connection, fmt::format("DELETE FROM measurement {} {}", where_key(), kRefutesNone));
    for (const RecordKey& key : keys_of(connection, "measurement")) {
        if (rules.is_dead(key)) {
            remove.execute(cells_of(key));
            report.measurements += changes_of(connection);
        }
    }
}

std::int64_t used_bytes(sqlite::Connection& connection) {
    return (connection.integer("PRAGMA page_count") - connection.integer("PRAGMA freelist_count")) *
           connection.integer("PRAGMA page_size");
}

/// Deletes the oldest measurements until the rows need no more room than that.
void remove_until(sqlite::Connection& connection, std::int64_t bytes, PruneReport& report) {
    constexpr std::int64_t kParts = 16;
    sqlite::Statement remove(connection,
                             "DELETE FROM measurement WHERE rowid IN (SELECT rowid FROM "
                             "measurement WHERE verdict <> 'wrong_result' "
                             "ORDER BY created_at, rowid LIMIT ?1)");
    if (used_bytes(connection) > bytes) {
        connection.execute("DELETE FROM binary");
        report.binaries += changes_of(connection);
    }
    while (used_bytes(connection) > bytes) {
        const std::int64_t count = connection.integer("SELECT count(*) FROM measurement");
        remove.execute({std::max<std::int64_t>(1, count / kParts)});
        const std::int64_t removed = changes_of(connection);
        report.measurements += removed;
        if (removed == 0) {
            return;
        }
    }
}

}  // namespace

PruneReport prune_rows(sqlite::Connection& connection, WinnerTable& winners,
                       const PruneRules& rules) {
    PruneReport report;
    if (rules.is_dead) {
        remove_dead(connection, winners, rules, report);
    }
    report.winners += remove_rows(winners, [](const WinnerTable::Found& found) {
        return found.winner && found.winner->refuted;
    });
    if (rules.measurements_per_key != PruneRules::kAll) {
        report.measurements += trim_measurements(connection, keys_of(connection, "measurement"),
                                                 rules.measurements_per_key);
    }
    if (rules.bytes != PruneRules::kAll) {
        remove_until(connection, rules.bytes, report);
    }
    return report;
}

std::int64_t trim_measurements(sqlite::Connection& connection, std::span<const RecordKey> keys,
                               std::int64_t most) {
    sqlite::Statement trim(
        connection, "DELETE FROM measurement WHERE rowid IN (SELECT rowid FROM measurement " +
                        where_key() +
                        " AND verdict <> 'wrong_result' "
                        "ORDER BY created_at DESC, rowid DESC LIMIT -1 OFFSET ?)");
    std::int64_t removed = 0;
    for (const RecordKey& key : keys) {
        sqlite::Row parameters = cells_of(key);
        parameters.emplace_back(most);
        trim.execute(parameters);
        removed += changes_of(connection);
    }
    return removed;
}

std::int64_t remove_winners(sqlite::Connection& connection, WinnerTable& table,
                            std::span<const Winner> winners, bool also_measurements) {
    std::int64_t rows = 0;
    sqlite::Statement remove(connection, fmt::format("DELETE FROM measurement {} {}",
                                                     where_key_of_any_bucket(), kRefutesNone));
    for (const Winner& winner : winners) {
        for (const auto& [rowid, found] : table.read_same(winner)) {
            if (found.winner && winner_content(*found.winner) == winner_content(winner)) {
                table.drop(rowid, *found.digest);
                ++rows;
            }
        }
        table.pin(winner_id(winner), false);
        if (also_measurements) {
            remove.execute(cells_of(winner.key));
            rows += changes_of(connection);
        }
    }
    return rows;
}

}  // namespace jitune::internal
