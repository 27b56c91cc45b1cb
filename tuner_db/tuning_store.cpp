// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/tuning_store.hpp"

#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tuner_db/file/integrity.hpp"
#include "tuner_db/file/store_path.hpp"
#include "tuner_db/tuning_store_impl.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/prune.hpp"

namespace jitune::internal {

namespace {

using sqlite::Row;
using sqlite::Statement;
using sqlite::Transaction;
using std::chrono::milliseconds;

// Shorter than any tuning that a lease can save.
constexpr milliseconds kLeaseWait{1'000};

}  // namespace

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
        answer = winners_.find(key, sizes, also_unsure);
        drop(answer.damaged);
    }
    if (!answer.damaged.empty()) {
        bad_rows_ += std::ssize(answer.damaged);
        log_.warning("tuning database {}: a winner of {} {} is damaged and not used", file_.path,
                     key.kernel, key.types);
    }
    return std::move(answer.winner);
}

void TuningStore::Impl::put(const Winner& winner) {
    winners_.put(winner);
    misses_.remove_served(winner);
    remove_doubt_.execute({winner.key.kernel, winner.key.types, winner.key.device_class,
                           winner.key.alignment, winner.key.template_hash, winner.sizes,
                           winner.configuration});
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
        const StorePath place(path, mode == Mode::read_only ? StorePath::IfMissing::refuse
                                                            : StorePath::IfMissing::create);
        auto impl = std::make_unique<Impl>(open_store_file(place, mode, log, patience), log);
        return std::unique_ptr<TuningStore>(new TuningStore(std::move(impl)));
    };
    if (access == Access::read_only) {
        const StorePath place(path, StorePath::IfMissing::refuse);
        static_cast<void>(place.check_file());
        if (std::filesystem::file_size(place.file()) == 0) {  // new, and nobody has written yet
            StoreFile none = open_store_in_memory();
            none.path = place.file();
            return std::unique_ptr<TuningStore>(
                new TuningStore(std::make_unique<Impl>(std::move(none), log)));
        }
    }
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
                                         int limit,
                                         const std::function<bool(const Winner&)>& takes) {
    const Impl::Turn turn(*impl_, kDispatchWait);
    const Transaction moment(impl_->connection_, Transaction::Kind::read);
    std::vector<Winner> nearest;
    for (const std::int64_t rowid : impl_->winners_.neighbours(key, sizes)) {
        if (std::ssize(nearest) == limit) {
            break;
        }
        std::optional<Winner> winner = impl_->intact(impl_->winners_.read(rowid));
        if (winner && takes(*winner)) {
            winner->image.clear();
            nearest.push_back(std::move(*winner));
        }
    }
    return nearest;
}

std::optional<Winner> TuningStore::with_image(const Winner& row) {
    const Impl::Turn turn(*impl_, kDispatchWait);
    for (auto& [rowid, found] : impl_->winners_.read_same(row)) {
        if (found.winner && winner_content(*found.winner) != winner_content(row)) {
            continue;
        }
        if (auto winner = impl_->intact(std::move(found))) {
            return winner;
        }
    }
    return std::nullopt;
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
    std::vector<RecordKey> keys;
    for (const Measurement& measurement : measurements) {
        rows.push_back(to_row(measurement));
        if (keys.empty() || keys.back() != measurement.key) {
            keys.push_back(measurement.key);
        }
    }
    const Impl::Turn turn(*impl_, kSweepWait);
    impl_->write([&] {
        for (const Row& row : rows) {
            impl_->put_measurement_.execute(row);
        }
        trim_measurements(impl_->connection_, keys, kMostMeasurements);
        for (const Winner& winner : winners) {
            impl_->put(winner);
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
    return winners([](const Winner&) { return true; }, 0, std::numeric_limits<std::int64_t>::max());
}

std::vector<Winner> TuningStore::winners(const std::function<bool(const Winner&)>& wants,
                                         std::int64_t skip, std::int64_t limit) {
    std::vector<Winner> winners;
    std::int64_t read = 0;
    std::int64_t damaged = 0;
    {
        const Impl::Turn turn(*impl_, kSweepWait);
        const Transaction moment(impl_->connection_, Transaction::Kind::read);
        impl_->winners_.each([&](std::int64_t rowid) {
            WinnerTable::Found found = impl_->winners_.read(rowid);
            ++read;
            damaged += found.damaged() ? 1 : 0;
            std::optional<Winner> winner = impl_->intact(std::move(found));
            if (winner && wants(*winner) && --skip < 0) {
                winner->image.clear();
                winners.push_back(std::move(*winner));
            }
            return std::ssize(winners) < limit;
        });
    }
    if (damaged > 0) {
        impl_->log_.warning(
            "tuning database {}: {} of {} winners are damaged and left out; run "
            "`jitune db verify` for details",
            impl_->file_.path, damaged, read);
    }
    return winners;
}

template <class IsWanted>
std::vector<Measurement> TuningStore::Impl::measurements(Statement& statement,
                                                         const Row& parameters,
                                                         const IsWanted& is_wanted) {
    const Turn turn(*this, kSweepWait);
    std::vector<Measurement> measurements;
    for (sqlite::Cursor cursor = statement.run(parameters); cursor.next();) {
        std::optional<Measurement> measurement = from_row<Measurement>(cursor.row());
        if (measurement && is_wanted(measurement->key)) {  // a damaged index finds others, too
            measurements.push_back(std::move(*measurement));
        } else {
            ++bad_rows_;
        }
    }
    return measurements;
}

std::vector<Measurement> TuningStore::measurements(const RecordKey& key) {
    return impl_->measurements(impl_->find_measurements_, cells_of(key),
                               [&](const RecordKey& found) { return found == key; });
}

std::vector<TuningStore::Measured> TuningStore::measured() {
    const Impl::Turn turn(*impl_, kSweepWait);
    // This is the order of the index, which has every column that is read.
    Statement statement(impl_->connection_,
                        fmt::format("SELECT {}, count(*) FROM {} GROUP BY kernel, types, "
                                    "device_class, bucket, alignment, template_hash",
                                    fmt::join(columns_of<RecordKey>(), ", "), Measurement::kTable));
    std::vector<Measured> keys;
    for (sqlite::Cursor cursor = statement.run({}); cursor.next();) {
        const Row row = cursor.row();
        const auto key = from_cells<RecordKey>(row, 0);
        const auto* const count = std::get_if<std::int64_t>(&row.back());
        if (key && count != nullptr) {
            keys.push_back({*key, *count});
        }
    }
    return keys;
}

std::vector<Measurement> TuningStore::measurements_after(std::int64_t& last) {
    const std::int64_t after = last;
    {
        const Impl::Turn turn(*impl_, kSweepWait);
        last = impl_->connection_.integer("SELECT coalesce(max(rowid), 0) FROM measurement");
    }
    return impl_->measurements(impl_->find_between_, {after, last},
                               [](const RecordKey&) { return true; });
}

std::vector<Measurement> TuningStore::comparisons(const RecordKey& key, int half_octaves) {
    Row parameters = cells_of(key);
    parameters.emplace_back(std::int64_t{half_octaves});
    return impl_->measurements(impl_->find_comparisons_, parameters,
                               [&](const RecordKey& found) { return found.is_like(key); });
}

void TuningStore::add_misses(std::span<const Miss> misses) {
    add(CallRecords{.misses = {misses.begin(), misses.end()}});
}

void TuningStore::add(const CallRecords& records) {
    const Impl::Turn turn(*impl_, kMissWait);
    impl_->write([&] {
        std::vector<Miss> unserved;
        for (const Miss& miss : records.misses) {
            const auto sizes = miss.problem_sizes();
            if (sizes && impl_->wants_tuning(miss.key, *sizes)) {
                unserved.push_back(miss);
            }
        }
        impl_->misses_.add(unserved);
        impl_->usages_.add(records.usages);
        impl_->pauses_.add(records.pauses);
        std::vector<Doubt> standing = records.doubts;
        std::erase_if(standing, [&](const Doubt& doubt) { return !impl_->doubted(doubt); });
        impl_->doubts_.add(standing);
    });
}

void TuningStore::remove_misses(std::span<const Miss> misses) {
    const Impl::Turn turn(*impl_, kSweepWait);
    impl_->write([&] {
        for (const Miss& miss : misses) {
            impl_->misses_.remove(miss);
        }
    });
}

void TuningStore::remove_doubts(std::span<const Doubt> doubts) {
    const Impl::Turn turn(*impl_, kSweepWait);
    impl_->write([&] {
        for (const Doubt& doubt : doubts) {
            impl_->remove_doubt_.execute(doubt.place());
        }
    });
}

TuningStore::Check TuningStore::verify() {
    const Impl::Turn turn(*impl_, kSweepWait);
    Check check;
    check_pages(impl_->connection_, check.problems);
    check.winners = check_winners(impl_->connection_, check.problems);
    check.measurements = check_measurements(impl_->connection_, check.problems);
    check_call_records(impl_->connection_, check.problems);
    check_binaries(impl_->connection_, check.problems);
    check_choices(impl_->connection_, check.problems);
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
