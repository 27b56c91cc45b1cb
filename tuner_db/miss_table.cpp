// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/miss_table.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "tuner_db/record_row.hpp"
#include "tuner_db/winner_table.hpp"

namespace jitune::internal {

namespace {

constexpr const char* kWhere =
    "WHERE kernel = ?1 AND types = ?2 AND device_class = ?3 AND alignment = ?4 AND "
    "template_hash = ?5 AND sizes = ?6";

sqlite::Row place_of(const Miss& miss) {
    const RecordKey& key = miss.key;
    return {key.kernel, key.types, key.device_class, key.alignment, key.template_hash, miss.sizes};
}

}  // namespace

MissTable::MissTable(const sqlite::Connection& connection)
    : find_(connection, select(table_of<Miss>(), kWhere)),
      put_(connection, insert("REPLACE", table_of<Miss>())),
      remove_(connection, std::string("DELETE FROM miss ") + kWhere),
      of_key_(connection, select(table_of<Miss>(), where_key_of_any_bucket())),
      all_(connection, select(table_of<Miss>(), "ORDER BY calls DESC, last_at DESC, rowid")),
      shrink_(connection,
              "DELETE FROM miss WHERE rowid IN (SELECT rowid FROM miss ORDER BY calls, last_at "
              "LIMIT max(0, (SELECT count(*) FROM miss) - ?1))") {}

void MissTable::add(const Miss& miss) {
    Miss sum = miss;
    for (sqlite::Cursor cursor = find_.run(place_of(miss)); cursor.next();) {
        if (auto known = from_row<Miss>(cursor.row())) {
            known->add(miss);
            sum = std::move(*known);
        }
    }
    sum.sessions = std::max<std::int64_t>(sum.sessions, 1);
    shrink_.execute({kMostRows - 1});
    put_.execute(to_row(sum));
}

void MissTable::remove(const Miss& miss) {
    remove_.execute(place_of(miss));
}

void MissTable::remove_served(const Winner& winner) {
    const auto boxes = boxes_of(winner);
    if (!boxes || winner.range.unsure) {
        return;
    }
    std::vector<Miss> served;
    for (sqlite::Cursor cursor = of_key_.run(cells_of(winner.key)); cursor.next();) {
        auto miss = from_row<Miss>(cursor.row());
        const auto sizes = miss ? miss->problem_sizes() : std::nullopt;
        if (sizes && covers(*boxes, *sizes)) {
            served.push_back(std::move(*miss));
        }
    }
    for (const Miss& miss : served) {
        remove(miss);
    }
}

MissTable::Rows MissTable::all() {
    Rows rows;
    for (sqlite::Cursor cursor = all_.run({}); cursor.next();) {
        auto miss = from_row<Miss>(cursor.row());
        if (miss && miss->problem_sizes() && miss->problem_types()) {
            rows.misses.push_back(std::move(*miss));
        } else {
            ++rows.damaged;
        }
    }
    return rows;
}

}  // namespace jitune::internal
