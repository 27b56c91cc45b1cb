// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "jitune/error.hpp"
#include "support/file_size_guard.hpp"
#include "tuner_db/calls/lease.hpp"
#include "tuner_db/calls/miss_table.hpp"
#include "tuner_db/file/store_file.hpp"
#include "tuner_db/tuning_store.hpp"
#include "tuner_db/winners/binary_table.hpp"
#include "tuner_db/winners/certainty.hpp"
#include "tuner_db/winners/record_row.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

/// How long a sweep waits for the database.
inline constexpr std::chrono::milliseconds kSweepWait{10'000};
/// How long a process that ends waits to write its misses.
inline constexpr std::chrono::milliseconds kMissWait{1'000};

/// The open file of a store, with its statements, which one thread uses at a time.
class TuningStore::Impl {
public:
    class Turn;

    Impl(StoreFile opened, Log log) : file_(std::move(opened)), log_(std::move(log)) {}

    /// Only the process that opened the store may use or even close SQLite's objects.
    [[nodiscard]] bool forked() const { return getpid() != owner_; }
    void require_owner() const {
        if (forked()) {
            throw Error(
                ErrorKind::forked,
                "tuning database: the process is a fork of the one that opened it: open it again");
        }
    }

    std::optional<Winner> find(const RecordKey& key, std::span<const std::int64_t> sizes,
                               bool also_unsure, std::chrono::milliseconds patience);
    /// True if no winner that ends_search() serves the sizes.
    bool wants_tuning(const RecordKey& key, std::span<const std::int64_t> sizes) {
        const auto winner = winners_.find(key, sizes, false).winner;
        return !winner || !ends_search(*winner);
    }

    /// Runs `body` in a transaction that holds the write lock from the start.
    template <class Body>
    void write(Body body);

private:
    friend class TuningStore;

    void check_journal();

    /// Adds a winner, and removes the misses that it serves and the doubt about its own row. The
    /// caller has begun a transaction.
    void put(const Winner& winner);

    /// Deletes damaged rows. Leaves rows that were replaced meanwhile, and leaves all rows if the
    /// database is busy.
    void drop(const WinnerTable::Damaged& damaged);

    /// The intact measurements of wanted keys that a statement finds with these parameters. Counts
    /// the others.
    template <class IsWanted>
    std::vector<Measurement> measurements(sqlite::Statement& statement,
                                          const sqlite::Row& parameters, const IsWanted& is_wanted);

    /// Calls `read` in a turn and returns its rows. Counts the rows that `read` leaves out, and
    /// warns of them once for each table.
    template <class Record, class Read>
    std::vector<Record> intact_rows(const Read& read);

    /// The intact winners that ends_search(), without their images.
    std::vector<Winner> settled_winners();

    /// The row, if it is intact and not refuted. Counts a damaged row.
    std::optional<Winner> intact(WinnerTable::Found found) {
        bad_rows_ += found.damaged() ? 1 : 0;
        return found.refuted ? std::nullopt : std::move(found.winner);
    }

    static constexpr std::int64_t kMostUsages = 20'000;
    static constexpr std::int64_t kMostPauses = 1'000;
    static constexpr std::int64_t kMostDoubts = 10'000;

    /// The row that `doubt` is about.
    std::optional<Winner> doubted(const Doubt& doubt) {
        Winner place;
        place.key = doubt.key;
        place.sizes = doubt.sizes;
        place.configuration = doubt.configuration;
        for (auto& [rowid, same] : winners_.read_same(place)) {
            if (same.counts() && doubt.is_about(*same.winner)) {
                return std::move(same.winner);
            }
        }
        return std::nullopt;
    }

    const pid_t owner_ = getpid();
    StoreFile file_;
    const Log log_;
    // Not std::timed_mutex: the thread sanitizer does not know its timed lock.
    std::mutex mutex_;
    std::condition_variable free_again_;
    bool in_use_ = false;
    std::atomic<std::int64_t> bad_rows_ = 0;
    std::set<std::string_view> warned_of_;  // tables; changed in turns alone

    sqlite::Connection& connection_ = file_.connection;
    /// Also where the file is empty, so that nothing of it is open.
    const bool is_read_only_ = sqlite3_db_readonly(connection_.handle(), "main") == 1 ||
                               (file_.journal.mode == "memory" && !file_.path.empty());
    sqlite::Statement find_measurements_{
        connection_, select(table_of<Measurement>(), where_key() + " ORDER BY created_at, rowid")};
    sqlite::Statement find_comparisons_{
        connection_,
        select(table_of<Measurement>(),
               where_key_of_near_bucket() + " AND instr(conditions, 'compared') "  // has an index
                                            "ORDER BY created_at, rowid")};
    sqlite::Statement find_between_{
        connection_,
        select(table_of<Measurement>(), "WHERE rowid > ?1 AND rowid <= ?2 ORDER BY rowid")};
    sqlite::Statement put_measurement_{connection_, insert_measurement()};
    sqlite::Statement journal_mode_{connection_, "PRAGMA journal_mode"};
    WinnerTable winners_{connection_};
    LeaseTable leases_{connection_};
    MissTable misses_{connection_};
    SumTable<Usage> usages_{connection_, kMostUsages, "last_at DESC, rowid"};
    BinaryTable binaries_{connection_};
    SumTable<Pause> pauses_{connection_, kMostPauses, "longest_us DESC, rowid"};
    SumTable<Doubt> doubts_{connection_, kMostDoubts, "last_at DESC, rowid"};
    sqlite::Statement remove_doubt_{connection_, "DELETE FROM doubt " + SumTable<Doubt>::where()};
};

/// Exclusive use of a store for one call, with a bounded wait for other threads and processes.
/// Throws Error(forked) in another process than the one that opened the store.
class TuningStore::Impl::Turn {
public:
    Turn(Impl& store, std::chrono::milliseconds wait) : store_(store) {
        store.require_owner();
        const auto deadline = std::chrono::steady_clock::now() + wait;
        std::unique_lock lock(store.mutex_);
        if (!store.free_again_.wait_until(lock, deadline, [&] { return !store.in_use_; })) {
            throw sqlite::Failure(fmt::format("{}: another thread used it for {} ms: try again",
                                              store.connection_.name(), wait.count()),
                                  SQLITE_BUSY);
        }
        store.in_use_ = true;
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        store.connection_.set_busy_wait(std::max(left, std::chrono::milliseconds(0)));
    }
    ~Turn() {
        const std::lock_guard lock(store_.mutex_);
        store_.in_use_ = false;
        store_.free_again_.notify_one();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    FileSizeGuard guard_;  // one for all statements
    Impl& store_;
};

template <class Body>
void TuningStore::Impl::write(Body body) {
    sqlite::Transaction transaction(connection_, sqlite::Transaction::Kind::write);
    check_journal();
    body();
    transaction.commit();
}

}  // namespace jitune::internal
