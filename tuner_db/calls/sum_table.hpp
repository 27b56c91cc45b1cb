// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/winners/record_row.hpp"

namespace jitune::internal {

/// Which rows of a table a SumTable has, as parts of SQL.
struct SumRows {
    std::int64_t most = 0;       ///< rows
    std::string place;           ///< the condition for a row's identity, with Record::place() bound
    std::string order;           ///< sorts the rows: those to keep first
    std::string which = "TRUE";  ///< the condition for all of them
};

/// A table of records that add up, or one kind of its rows: at most one row for each place, and a
/// largest number of rows. `Record` has kTable, place() and add(). Call add() and
/// remove() in a write transaction.
template <HasFields Record>
class SumTable {
public:
    SumTable(const sqlite::Connection& connection, const SumRows& rows)
        : most_rows_(rows.most),
          find_(connection, select(table_of<Record>(), where(rows))),
          remove_(connection, fmt::format("DELETE FROM {} {}", Record::kTable, where(rows))),
          count_(connection,
                 fmt::format("SELECT count(*) FROM {} WHERE {}", Record::kTable, rows.which)),
          put_(connection, insert("REPLACE", table_of<Record>())),
          all_(connection, select(table_of<Record>(),
                                  fmt::format("WHERE {} ORDER BY {}", rows.which, rows.order))),
          shrink_(connection, fmt::format("DELETE FROM {0} WHERE rowid IN (SELECT rowid FROM {0} "
                                          "WHERE {1} ORDER BY {2} LIMIT -1 OFFSET ?1)",
                                          Record::kTable, rows.which, rows.order)) {}

    /// Adds each record to the row of its place, or makes the row. A damaged row is replaced. If
    /// the table is full, the last sixteenth of its rows is deleted.
    void add(std::span<const Record> records) {
        std::int64_t room = records.empty() ? 0 : most_rows_ - count();
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

    /// Removes the row of the record's place, if there is one.
    void remove(const Record& record) { remove_.execute(record.place()); }

    /// The rows in their order.
    Rows<Record> all() { return read_rows<Record>(all_); }

private:
    static std::string where(const SumRows& rows) {
        return fmt::format("WHERE {} AND {}", rows.place, rows.which);
    }

    std::int64_t count() {
        sqlite::Cursor cursor = count_.run();
        return cursor.next() ? std::get<std::int64_t>(cursor.row().at(0)) : 0;
    }

    std::optional<Record> known(const Record& record) {
        sqlite::Cursor cursor = find_.run(record.place());
        return cursor.next() ? from_row<Record>(cursor.row()) : std::nullopt;
    }

    const std::int64_t most_rows_;
    sqlite::Statement find_, remove_, count_, put_, all_, shrink_;
};

}  // namespace jitune::internal
