// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tuner_db/calls/call_record.hpp"
#include "tuner_db/calls/doubt.hpp"
#include "tuner_db/open_store.hpp"
#include "tuner_db/winners/record_row.hpp"
#include "tuner_db/winners/winner_table.hpp"

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

/// What a session has to tell of calls since it told last.
struct CallReport {
    std::vector<CallRecord> calls = {};
    std::vector<Pause> pauses = {};
    std::vector<Doubt> doubts = {};

    [[nodiscard]] bool empty() const { return calls.empty() && pauses.empty() && doubts.empty(); }
};

/// What a store knows of calls: the tables `call`, `pause` and `doubt`. Thread-safe but for the
/// functions that the caller must call in a turn. Functions throw Error(store).
class StoredCalls {
public:
    static constexpr std::int64_t kMostMisses = 10'000;
    static constexpr std::int64_t kMostUses = 20'000;
    static constexpr std::int64_t kMostPauses = 1'000;
    static constexpr std::int64_t kMostDoubts = 10'000;

    /// Both must outlive it.
    StoredCalls(OpenStore& store, WinnerTable& winners);

    /// Adds a report, in one transaction; leaves out misses that a winner serves by now, unless it
    /// is_to_be_tuned(), and doubts about winners that are gone. Waits at most a second for others
    /// that hold the file.
    void add(const CallReport& report);

    /// The calls that answers have served, those called last first.
    std::vector<CallRecord> uses();

    /// The problems that calls had no winner for, or a provisional one, those called most first. A
    /// winner that is saved removes those that it serves, unless it is_to_be_tuned().
    std::vector<CallRecord> misses();

    /// The pauses that sessions have recorded, the longest first.
    std::vector<Pause> pauses();

    /// The doubts about winners that are stored, the last ones first. A winner that is saved
    /// removes that about its own row.
    std::vector<Doubt> doubts();

    /// The winner that it is about, with its image. Nothing if its row is damaged or has gone.
    std::optional<Winner> doubted(const Doubt& doubt);

    /// Forgets these misses, with all that was added meanwhile.
    void remove(std::span<const CallRecord> misses);
    /// Forgets these doubts.
    void remove(std::span<const Doubt> doubts);

    /// Forgets the misses that a winner serves, unless it is_to_be_tuned(). Call it in a write
    /// transaction.
    void remove_served(const Winner& winner);
    /// Forgets the doubt about the row in whose place a winner is put. Call it in a write
    /// transaction.
    void remove_doubt(const Winner& winner);

private:
    /// Calls `read` in a turn and returns its rows. Counts the rows that `read` leaves out, and
    /// warns of them once for each table.
    template <class Record>
    std::vector<Record> intact(const std::function<Rows<Record>()>& read);
    /// Whether no winner serves the problem of a miss, or one that is_to_be_tuned().
    bool is_unserved(const CallRecord& miss);
    /// The intact winners that are not to be tuned again, without their images.
    std::vector<Winner> settled_winners();
    /// The row that `doubt` is about.
    std::optional<Winner> row_of(const Doubt& doubt);

    OpenStore& store_;
    WinnerTable& winners_;
    SumTable<CallRecord> misses_, uses_;
    SumTable<Pause> pauses_;
    SumTable<Doubt> doubts_;
    sqlite::Statement misses_of_key_;
    std::set<std::string_view> warned_of_;  ///< tables; changed in turns alone
};

}  // namespace jitune::internal
