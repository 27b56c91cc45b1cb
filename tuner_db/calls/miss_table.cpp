// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/calls/miss_table.hpp"

#include <optional>
#include <string>
#include <utility>

#include "tuner_db/winners/record_row.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

MissTable::MissTable(const sqlite::Connection& connection)
    : sums_(connection, kMostRows, "calls DESC, last_at DESC, rowid"),
      remove_(connection, "DELETE FROM miss " + SumTable<Miss>::where()),
      of_key_(connection, select(table_of<Miss>(), where_key_of_any_bucket())) {}

void MissTable::remove(const Miss& miss) {
    remove_.execute(miss.place());
}

void MissTable::remove_served(const Winner& winner) {
    const auto boxes = boxes_of(winner);
    if (!boxes || is_to_be_tuned(trust_of(winner))) {
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

}  // namespace jitune::internal
