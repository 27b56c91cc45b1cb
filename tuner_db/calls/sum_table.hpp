// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/winners/record_row.hpp"

namespace jitune::internal {

/// The sum of two numbers that are not negative, at most the largest number there is.
inline std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    return a > kMost - b ? kMost : a + b;
}

/// A table of records that add up: at most one row for each place, and a largest number of rows.
/// `Record` has kTable, kPlace (a condition), place() (its values) and add(). Call add() in a write
/// transaction.
template <HasFields Record>
class SumTable {
public:
    /// `order` sorts the rows: those to keep first.
    SumTable(const sqlite::Connection& connection, std::int64_t most_rows, const std::string& order)
        : most_rows_(most_rows),
          find_(connection, select(table_of<Record>(), where())),
          count_(connection, fmt::format("SELECT count(*) FROM {}", Record::kTable)),
          put_(connection, insert("REPLACE", table_of<Record>())),
          all_(connection, select(table_of<Record>(), "ORDER BY " + order)),
          shrink_(connection, fmt::format("DELETE FROM {0} WHERE rowid IN (SELECT rowid FROM {0} "
                                          "ORDER BY {1} LIMIT -1 OFFSET ?1)",
                                          Record::kTable, order)) {}

    /// "WHERE <the place>"
    static std::string where() { return std::string("WHERE ") + Record::kPlace; }

    /// Adds each record to the row of its place, or makes the row. A damaged row is replaced. If
    /// the table is full, the last sixteenth of its rows is deleted.
    void add(std::span<const Record> records) {
        std::int64_t room = most_rows_ - count();
        for (const Record& record : records) {
            std::optional<Record> sum = known(record);
            if (sum) {
                sum->add(record);
            } else {
                sum = record;
                if constexpr (requires { sum->sessions; }) {  // its row may have gone meanwhile
                    sum->sessions = std::max<std::int64_t>(sum->sessions, 1);
                }
                if (room-- <= 0) {
                    room = most_rows_ / 16;
                    shrink_.execute({most_rows_ - room - 1});
                }
            }
            put_.execute(to_row(*sum));
        }
    }

    struct Rows {
        std::vector<Record> records;
        std::int64_t damaged = 0;  ///< rows that are left out
    };
    /// The rows that `is_sound` takes, in the table's order.
    template <class IsSound>
    Rows all(const IsSound& is_sound) {
        Rows rows;
        for (sqlite::Cursor cursor = all_.run({}); cursor.next();) {
            auto record = from_row<Record>(cursor.row());
            if (record && is_sound(*record)) {
                rows.records.push_back(std::move(*record));
            } else {
                ++rows.damaged;
            }
        }
        return rows;
    }

private:
    std::int64_t count() {
        sqlite::Cursor cursor = count_.run();
        return cursor.next() ? std::get<std::int64_t>(cursor.row().at(0)) : 0;
    }

    std::optional<Record> known(const Record& record) {
        sqlite::Cursor cursor = find_.run(record.place());
        return cursor.next() ? from_row<Record>(cursor.row()) : std::nullopt;
    }

    const std::int64_t most_rows_;
    sqlite::Statement find_, count_, put_, all_, shrink_;
};

}  // namespace jitune::internal
