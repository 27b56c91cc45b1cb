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
#include "tuner_db/integrity.hpp"
#include "tuner_db/lease.hpp"
#include "tuner_db/record_row.hpp"
#include "tuner_db/store_file.hpp"
#include "tuner_db/store_path.hpp"
#include "tuner_db/winner_table.hpp"

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
    void require_owner() const {
        if (forked()) {
            throw Error(
                ErrorKind::forked,
                "tuning database: the process is a fork of the one that opened it: open it again");
        }
    }

    std::optional<Winner> find(const RecordKey& key, std::span<const std::int64_t> sizes,
                               bool also_unsure, milliseconds patience);

    /// Runs `body` in a transaction that holds the write lock from the start.
    template <class Body>
    void write(Body body);

private:
    friend class TuningStore;

    void check_journal();

    /// Leaves rows that were replaced in the meantime, and all where the database is busy.
    void drop(const WinnerTable::Damaged& damaged);

    /// The intact measurements of `key`, with any bucket, that a statement finds with these
    /// parameters. Counts the damaged ones.
    std::vector<Measurement> measurements(Statement& statement, const Row& parameters,
                                          const RecordKey& key);

    /// The row if it is intact. Counts it if it is damaged.
    std::optional<Winner> intact(WinnerTable::Found found) {
        bad_rows_ += found.damaged() ? 1 : 0;
        return std::move(found.winner);
    }

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
    Statement find_measurements_{
        connection_, select(table_of<Measurement>(), where_key() + " ORDER BY created_at, rowid")};
    Statement find_comparisons_{
        connection_,
        select(table_of<Measurement>(),
               where_key_of_near_bucket() + " AND instr(conditions, 'compared') "  // has an index
                                            "ORDER BY created_at, rowid")};
    // Not "INSERT OR IGNORE", which would also ignore a CHECK that fails.
    Statement put_measurement_{
        connection_, insert("INSERT", table_of<Measurement>()) + " ON CONFLICT(digest) DO NOTHING"};
    Statement journal_mode_{connection_, "PRAGMA journal_mode"};
    WinnerTable winners_{connection_};
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

template <class Body>
void TuningStore::Impl::write(Body body) {
    Transaction transaction(connection_, Transaction::Kind::write);
    check_journal();
    body();
    transaction.commit();
}

void TuningStore::Impl::check_journal() {
    // A program with another SQLite may have set a mode that is not safe with this one.
    for (sqlite::Cursor cursor = journal_mode_.run({}); cursor.next();) {
        if (cursor.row().at(0) != sqlite::Cell(file_.journal.mode)) {
            throw Error(ErrorKind::store,
                        fmt::format("{}: another program has changed the journal mode, which must "
                                    "be {} here ({}): close that program",
                                    connection_.name(), file_.journal.mode, file_.journal.reason));
        }
    }
}

void TuningStore::Impl::drop(const WinnerTable::Damaged& damaged) {
    if (damaged.empty()) {
        return;
    }
    try {
        connection_.set_busy_wait(milliseconds(0));
        write([&] {
            for (const auto& [rowid, digest] : damaged) {
                winners_.drop(rowid, digest);
            }
        });
    } catch (const Error&) {
        // The rows stay and are refused again at the next call.
    }
}

std::optional<Winner> TuningStore::Impl::find(const RecordKey& key,
                                              std::span<const std::int64_t> sizes, bool also_unsure,
                                              milliseconds patience) {
    WinnerTable::Answer answer;
    {
        const Turn turn(*this, patience);
        {
            const Transaction moment(connection_, Transaction::Kind::read);
            answer = winners_.find(key, sizes, also_unsure);
        }
        drop(answer.damaged);
    }
    if (!answer.damaged.empty()) {
        bad_rows_ += std::ssize(answer.damaged);
        log_.warning("tuning database {}: a winner of {} {} is damaged and not used", file_.path,
                     key.kernel, key.types);
    }
    return std::move(answer.winner);
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

std::optional<Winner> TuningStore::find(const RecordKey& key, std::span<const std::int64_t> sizes,
                                        milliseconds patience) {
    return impl_->find(key, sizes, false, patience);
}

std::optional<Winner> TuningStore::incumbent(const RecordKey& key,
                                             std::span<const std::int64_t> sizes) {
    return impl_->find(key, sizes, true, kDispatchWait);
}

std::vector<Winner> TuningStore::nearest(const RecordKey& key, std::span<const std::int64_t> sizes,
                                         int limit) {
    const Impl::Turn turn(*impl_, kDispatchWait);
    const Transaction moment(impl_->connection_, Transaction::Kind::read);
    std::vector<Winner> nearest;
    for (const std::int64_t rowid : impl_->winners_.neighbours(key, sizes)) {
        if (std::ssize(nearest) == limit) {
            break;
        }
        if (std::optional<Winner> winner = impl_->intact(impl_->winners_.read(rowid))) {
            winner->image.clear();
            nearest.push_back(std::move(*winner));
        }
    }
    return nearest;
}

std::optional<Winner> TuningStore::with_image(const Winner& row) {
    const Impl::Turn turn(*impl_, kDispatchWait);
    return impl_->intact(impl_->winners_.read(row));
}

SizeBox TuningStore::same_winners(const RecordKey& key, std::span<const std::int64_t> sizes,
                                  SizeBox within) {
    const Impl::Turn turn(*impl_, kDispatchWait);
    for (const WinnerTable::Place& place : impl_->winners_.places(key)) {
        for (const SizeBox& box : place.boxes.value_or(std::vector<SizeBox>{})) {
            within = box.contains(sizes) ? within.common(box) : within.without(box, sizes);
        }
    }
    return within;
}

void TuningStore::save(std::span<const Measurement> measurements, std::span<const Winner> winners) {
    std::vector<Row> rows;
    for (const Measurement& measurement : measurements) {
        rows.push_back(to_row(measurement));
    }
    const Impl::Turn turn(*impl_, kSweepWait);
    impl_->write([&] {
        for (const Row& row : rows) {
            impl_->put_measurement_.execute(row);
        }
        for (const Measurement& one : measurements) {
            if (one.verdict == Verdict::wrong_result) {
                impl_->winners_.refute(one);
            }
        }
        for (const Winner& winner : winners) {
            impl_->winners_.put(winner);
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
    const std::vector<std::int64_t> rowids = impl_->winners_.all();
    std::vector<Winner> winners;
    for (const std::int64_t rowid : rowids) {
        if (std::optional<Winner> winner = impl_->intact(impl_->winners_.read(rowid))) {
            winner->image.clear();
            winners.push_back(std::move(*winner));
        }
    }
    if (winners.size() < rowids.size()) {
        impl_->log_.warning(
            "tuning database {}: {} of {} winners are damaged and left out; run "
            "`jitune db verify` for details",
            impl_->file_.path, rowids.size() - winners.size(), rowids.size());
    }
    return winners;
}

std::vector<Measurement> TuningStore::Impl::measurements(Statement& statement,
                                                         const Row& parameters,
                                                         const RecordKey& key) {
    const Turn turn(*this, kSweepWait);
    std::vector<Measurement> measurements;
    for (sqlite::Cursor cursor = statement.run(parameters); cursor.next();) {
        std::optional<Measurement> measurement = from_row<Measurement>(cursor.row());
        if (measurement && measurement->key.is_like(key)) {
            measurements.push_back(std::move(*measurement));
        } else {
            ++bad_rows_;
        }
    }
    return measurements;
}

std::vector<Measurement> TuningStore::measurements(const RecordKey& key) {
    return impl_->measurements(impl_->find_measurements_, cells_of(key), key);
}

std::vector<Measurement> TuningStore::comparisons(const RecordKey& key, int half_octaves) {
    Row parameters = cells_of(key);
    parameters.emplace_back(std::int64_t{half_octaves});
    return impl_->measurements(impl_->find_comparisons_, parameters, key);
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

std::int64_t TuningStore::version() {
    const Impl::Turn turn(*impl_, kDispatchWait);
    return impl_->connection_.integer("PRAGMA data_version");
}

std::int64_t TuningStore::bad_rows() const {
    impl_->require_owner();
    return impl_->bad_rows_;
}

}  // namespace jitune::internal
