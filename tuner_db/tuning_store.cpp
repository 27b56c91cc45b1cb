// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/tuning_store.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "jitune/error.hpp"
#include "tuner_db/bucket.hpp"
#include "tuner_db/integrity.hpp"
#include "tuner_db/lease.hpp"
#include "tuner_db/record_row.hpp"
#include "tuner_db/store_file.hpp"
#include "tuner_db/store_path.hpp"

namespace jitune::internal {

namespace {

using sqlite::Row;
using sqlite::Statement;
using sqlite::Transaction;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A sweep has time.
constexpr milliseconds kSweepWait{10'000};
// Shorter than any tuning that a lease can save.
constexpr milliseconds kLeaseWait{1'000};

}  // namespace

class TuningStore::Impl {
public:
    class Turn;

    Impl(StoreFile opened, Log log) : file_(std::move(opened)), log_(std::move(log)) {}

    /// Only the process that opened the store may use or even close SQLite's objects.
    [[nodiscard]] bool forked() const { return getpid() != owner_; }
    void require_owner() const;

    /// The winner of `key` and the digest stored in its row. No digest: there is no row.
    struct Found {
        std::optional<Winner> winner;
        std::optional<sqlite::Cell> digest;

        [[nodiscard]] bool damaged() const { return digest && !winner; }
    };
    Found read_winner(const RecordKey& key);

    /// Deletes the row, unless it was replaced in the meantime or the database is busy.
    void drop_winner(const RecordKey& key, const sqlite::Cell& digest);

    /// Runs `body` in a transaction that holds the write lock from the start.
    template <class Body>
    void write(Body body);

    /// Calls `visit` with each row that a statement returns.
    template <class Visitor>
    static void each_row(Statement& statement, const Row& parameters, Visitor visit);

private:
    friend class TuningStore;

    void check_journal();

    const pid_t owner_ = getpid();
    StoreFile file_;
    const Log log_;
    // Not std::timed_mutex: the thread sanitizer does not know its timed lock.
    std::mutex mutex_;
    std::condition_variable free_again_;
    bool in_use_ = false;
    std::atomic<std::int64_t> bad_rows_ = 0;

    sqlite::Connection& connection_ = file_.connection;
    const bool is_read_only_ = sqlite3_db_readonly(connection_.handle(), "main") == 1;
    Statement find_winner_{connection_, select(table_of<Winner>(), where_key())};
    // A "?" is the parameter behind those of the key.
    Statement drop_winner_{connection_, "DELETE FROM winner " + where_key() + " AND digest IS ?"};
    Statement refute_winner_{connection_, "DELETE FROM winner " + where_key() +
                                              " AND configuration = ? AND created_at <= ?"};
    Statement neighbours_{connection_, "SELECT bucket FROM winner " + where_key("<>")};
    Statement winner_keys_{
        connection_,
        fmt::format("SELECT {} FROM winner ORDER BY kernel, types, device_class, bucket",
                    fmt::join(columns_of<RecordKey>(), ", "))};
    Statement find_measurements_{
        connection_, select(table_of<Measurement>(), where_key() + " ORDER BY created_at, rowid")};
    Statement put_winner_{connection_, insert("REPLACE", table_of<Winner>())};
    // Not "INSERT OR IGNORE", which would also ignore a CHECK that fails.
    Statement put_measurement_{
        connection_, insert("INSERT", table_of<Measurement>()) + " ON CONFLICT(digest) DO NOTHING"};
    Statement journal_mode_{connection_, "PRAGMA journal_mode"};
    LeaseTable leases_{connection_};
};

/// Exclusive use of a store for one call, with a bounded wait for other threads and processes.
/// Throws Error(forked) in another process than the one that opened the store.
class TuningStore::Impl::Turn {
public:
    Turn(Impl& store, milliseconds wait) : store_(store) {
        store.require_owner();
        const auto deadline = steady_clock::now() + wait;
        std::unique_lock lock(store.mutex_);
        if (!store.free_again_.wait_until(lock, deadline, [&] { return !store.in_use_; })) {
            throw sqlite::Failure(fmt::format("{}: another thread used it for {} ms: try again",
                                              store.connection_.name(), wait.count()),
                                  SQLITE_BUSY);
        }
        store.in_use_ = true;
        const auto left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
        store.connection_.set_busy_wait(std::max(left, milliseconds(0)));
    }
    ~Turn() {
        const std::lock_guard lock(store_.mutex_);
        store_.in_use_ = false;
        store_.free_again_.notify_one();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    Impl& store_;
};

void TuningStore::Impl::require_owner() const {
    if (forked()) {
        throw Error(
            ErrorKind::forked,
            "tuning database: the process is a fork of the one that opened it: open it again");
    }
}

template <class Visitor>
void TuningStore::Impl::each_row(Statement& statement, const Row& parameters, Visitor visit) {
    for (sqlite::Cursor cursor = statement.run(parameters); cursor.next();) {
        visit(cursor.row());
    }
}

template <class Body>
void TuningStore::Impl::write(Body body) {
    Transaction transaction(connection_, Transaction::Kind::write);
    check_journal();
    body();
    transaction.commit();
}

void TuningStore::Impl::check_journal() {
    // A program with another SQLite may have set a mode that is not safe with this one.
    each_row(journal_mode_, {}, [&](const Row& row) {
        if (row.at(0) != sqlite::Cell(file_.journal.mode)) {
            throw Error(ErrorKind::store,
                        fmt::format("{}: another program has changed the journal mode, which must "
                                    "be {} here ({}): close that program",
                                    connection_.name(), file_.journal.mode, file_.journal.reason));
        }
    });
}

TuningStore::Impl::Found TuningStore::Impl::read_winner(const RecordKey& key) {
    Found found;
    each_row(find_winner_, cells_of(key), [&](const Row& row) {
        found.digest = row.front();
        found.winner = from_row<Winner>(row);
    });
    if (found.winner && found.winner->key != key) {
        found.winner.reset();
    }
    if (found.damaged()) {
        ++bad_rows_;
    }
    return found;
}

void TuningStore::Impl::drop_winner(const RecordKey& key, const sqlite::Cell& digest) {
    try {
        connection_.set_busy_wait(milliseconds(0));
        Row parameters = cells_of(key);
        parameters.push_back(digest);
        write([&] { drop_winner_.execute(parameters); });
    } catch (const Error&) {
        // The row stays and is refused again at the next call.
    }
}

TuningStore::TuningStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

TuningStore::~TuningStore() {
    if (impl_->forked()) {
        static_cast<void>(impl_.release());
    }
}

std::unique_ptr<TuningStore> TuningStore::open(const std::filesystem::path& path, Access access,
                                               const Log& log, std::chrono::milliseconds patience) {
    using Mode = sqlite::Connection::Mode;
    const auto open_as = [&](Mode mode) {
        auto impl = std::make_unique<Impl>(open_store_file(path, mode, log, patience), log);
        return std::unique_ptr<TuningStore>(new TuningStore(std::move(impl)));
    };
    if (access == Access::read_write ||
        (access == Access::as_permitted && may_write_beside(path))) {
        try {
            return open_as(Mode::read_write);
        } catch (const sqlite::Failure& failure) {
            if (access == Access::read_write || !failure.write_protected()) {
                throw;
            }
        }
    }
    return open_as(Mode::read_only);
}

bool TuningStore::is_read_only() const {
    return impl_->is_read_only_;
}

std::unique_ptr<TuningStore> TuningStore::in_memory(const Log& log) {
    auto impl = std::make_unique<Impl>(open_store_in_memory(), log);
    return std::unique_ptr<TuningStore>(new TuningStore(std::move(impl)));
}

std::optional<Winner> TuningStore::find(const RecordKey& key, milliseconds patience) {
    Impl::Found found;
    {
        const Impl::Turn turn(*impl_, patience);
        found = impl_->read_winner(key);
        if (found.damaged()) {
            impl_->drop_winner(key, *found.digest);
        }
    }
    if (found.damaged()) {
        impl_->log_.warning(
            "tuning database {}: the winner of {} {} bucket={} is damaged and not used",
            impl_->file_.path, key.kernel, key.types, key.bucket);
    }
    return std::move(found.winner);
}

std::vector<Winner> TuningStore::nearest(const RecordKey& key, int limit) {
    const Impl::Turn turn(*impl_, kDispatchWait);
    const Transaction moment(impl_->connection_, Transaction::Kind::read);
    std::vector<RecordKey> keys;
    Impl::each_row(impl_->neighbours_, cells_of(key), [&](const Row& row) {
        if (const auto* bucket = std::get_if<std::int64_t>(&row.at(0))) {
            keys.push_back(key);
            keys.back().bucket = *bucket;
        }
    });
    std::sort(keys.begin(), keys.end(), [&](const RecordKey& left, const RecordKey& right) {
        const auto rank = [&](std::int64_t bucket) {
            return std::pair(bucket_distance(bucket, key.bucket), bucket);
        };
        return rank(left.bucket) < rank(right.bucket);
    });
    std::vector<Winner> nearest;
    for (auto next = keys.begin(); next != keys.end() && std::ssize(nearest) < limit; ++next) {
        if (std::optional<Winner> winner = impl_->read_winner(*next).winner) {
            winner->image.clear();
            nearest.push_back(std::move(*winner));
        }
    }
    return nearest;
}

void TuningStore::save(std::span<const Measurement> measurements,
                       const std::optional<Winner>& winner) {
    std::vector<Row> rows;
    for (const Measurement& measurement : measurements) {
        rows.push_back(to_row(measurement));
    }
    const Row winner_row = winner ? to_row(*winner) : Row{};

    const Impl::Turn turn(*impl_, kSweepWait);
    impl_->write([&] {
        for (const Row& row : rows) {
            impl_->put_measurement_.execute(row);
        }
        for (const Measurement& one : measurements) {
            if (one.verdict == Verdict::wrong_result) {
                Row parameters = cells_of(one.key);
                parameters.emplace_back(one.configuration);
                parameters.emplace_back(one.provenance.created_at);
                impl_->refute_winner_.execute(parameters);
            }
        }
        if (winner) {
            impl_->put_winner_.execute(winner_row);
        }
    });
}

std::string TuningStore::lease_holder(const RecordKey& key, const std::string& owner,
                                      milliseconds duration) {
    const Impl::Turn turn(*impl_, kLeaseWait);
    return impl_->leases_.others_lease(key, owner, duration);
}

std::string TuningStore::try_lease(const RecordKey& key, const std::string& owner,
                                   milliseconds duration) {
    const Impl::Turn turn(*impl_, kLeaseWait);
    std::string holder;
    impl_->write([&] {
        holder = impl_->leases_.others_lease(key, owner, duration);
        if (holder.empty()) {
            impl_->leases_.put(key, owner, duration);
        }
    });
    return holder;
}

void TuningStore::release_lease(const RecordKey& key, const std::string& owner) {
    const Impl::Turn turn(*impl_, kLeaseWait);
    impl_->write([&] { impl_->leases_.remove(key, owner); });
}

std::vector<Winner> TuningStore::winners() {
    const Impl::Turn turn(*impl_, kSweepWait);
    const Transaction moment(impl_->connection_, Transaction::Kind::read);
    std::vector<RecordKey> keys;
    std::size_t rows = 0;
    Impl::each_row(impl_->winner_keys_, {}, [&](const Row& row) {
        ++rows;
        if (std::optional<RecordKey> key = from_cells<RecordKey>(row, 0)) {
            keys.push_back(std::move(*key));
        }
    });
    std::vector<Winner> winners;
    for (const RecordKey& key : keys) {
        if (std::optional<Winner> winner = impl_->read_winner(key).winner) {
            winner->image.clear();
            winners.push_back(std::move(*winner));
        }
    }
    if (winners.size() < rows) {
        impl_->log_.warning(
            "tuning database {}: {} of {} winners are damaged and left out; run "
            "`jitune db verify` for details",
            impl_->file_.path, rows - winners.size(), rows);
    }
    return winners;
}

std::vector<Measurement> TuningStore::measurements(const RecordKey& key) {
    const Impl::Turn turn(*impl_, kSweepWait);
    std::vector<Measurement> measurements;
    Impl::each_row(impl_->find_measurements_, cells_of(key), [&](const Row& row) {
        std::optional<Measurement> measurement = from_row<Measurement>(row);
        if (measurement && measurement->key == key) {
            measurements.push_back(std::move(*measurement));
        } else {
            ++impl_->bad_rows_;
        }
    });
    return measurements;
}

TuningStore::Check TuningStore::verify() {
    const Impl::Turn turn(*impl_, kSweepWait);
    Check check;
    check_pages(impl_->connection_, check.problems);
    check.winners = check_winners(impl_->connection_, check.problems);
    check.measurements = check_measurements(impl_->connection_, check.problems);
    return check;
}

TuningStore::Status TuningStore::status() {
    const Impl::Turn turn(*impl_, kSweepWait);
    const StoreFile& file = impl_->file_;
    sqlite::Connection& connection = impl_->connection_;
    return {file.path,
            file.journal.mode,
            file.journal.reason,
            sqlite3_libversion(),
            connection.integer("PRAGMA user_version"),
            connection.integer("PRAGMA page_count") * connection.integer("PRAGMA page_size")};
}

std::int64_t TuningStore::bad_rows() const {
    impl_->require_owner();
    return impl_->bad_rows_;
}

}  // namespace jitune::internal
