// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/tuning_store.hpp"

#include <iterator>

#include "tuner_db/file/store_path.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/trust.hpp"

namespace jitune::internal {

namespace {

using sqlite::Row;
using sqlite::Statement;
using sqlite::Transaction;
using std::chrono::milliseconds;

}  // namespace

void TuningStore::drop(const WinnerTable::Damaged& damaged) {
    if (damaged.empty()) {
        return;
    }
    try {
        tables_->store.connection().set_busy_wait(milliseconds(0));
        tables_->store.write([&] {
            for (const auto& [rowid, digest] : damaged) {
                tables_->winners.drop(rowid, digest);
            }
        });
    } catch (const Error&) {
        // The rows stay and are refused again at the next call.
    }
}

std::optional<Winner> TuningStore::find(const RecordKey& key, std::span<const std::int64_t> sizes,
                                        bool also_unsure, milliseconds patience) {
    WinnerTable::Answer answer;
    {
        const OpenStore::Turn turn(tables_->store, patience);
        answer = tables_->winners.find(key, sizes, also_unsure);
        drop(answer.damaged);
    }
    if (!answer.damaged.empty()) {
        OpenStore& store = tables_->store;
        store.add_damaged(std::ssize(answer.damaged));
        store.log().warning("tuning database {}: a winner of {} {} is damaged and not used",
                            store.file().path, key.kernel, key.types);
    }
    return std::move(answer.winner);
}

std::optional<Winner> TuningStore::intact(WinnerTable::Found found) {
    tables_->store.add_damaged(found.damaged() ? 1 : 0);
    return found.counts() ? std::move(found.winner) : std::nullopt;
}

void TuningStore::put(const Winner& winner) {
    tables_->winners.put(winner);
    tables_->calls.remove_served(winner);
    tables_->calls.remove_doubt(winner);
}

TuningStore::~TuningStore() {
    if (tables_->store.is_forked()) {
        static_cast<void>(tables_.release());
    }
}

std::unique_ptr<TuningStore> TuningStore::open(const std::filesystem::path& path, Access access,
                                               const Log& log, std::chrono::milliseconds patience) {
    using Mode = sqlite::Connection::Mode;
    const auto open_as = [&](Mode mode) {
        const StorePath place(path, mode == Mode::read_only ? StorePath::IfMissing::refuse
                                                            : StorePath::IfMissing::create);
        return std::unique_ptr<TuningStore>(
            new TuningStore(open_store_file(place, mode, log, patience), log));
    };
    if (access == Access::read_only) {
        const StorePath place(path, StorePath::IfMissing::refuse);
        static_cast<void>(place.check_file());
        if (std::filesystem::file_size(place.file()) == 0) {  // new, and nobody has written yet
            StoreFile none = open_store_in_memory();
            none.path = place.file();
            return std::unique_ptr<TuningStore>(new TuningStore(std::move(none), log));
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

std::unique_ptr<TuningStore> TuningStore::open_other(const std::filesystem::path& path,
                                                     const Log& log) {
    return std::unique_ptr<TuningStore>(new TuningStore(open_other_store_file(path), log));
}

std::unique_ptr<TuningStore> TuningStore::in_memory(const Log& log) {
    return std::unique_ptr<TuningStore>(new TuningStore(open_store_in_memory(), log));
}

std::optional<Winner> TuningStore::find(const RecordKey& key, std::span<const std::int64_t> sizes,
                                        milliseconds patience) {
    return find(key, sizes, false, patience);
}

std::optional<Winner> TuningStore::incumbent(const RecordKey& key,
                                             std::span<const std::int64_t> sizes) {
    return find(key, sizes, true, kCallWait);
}

std::vector<Winner> TuningStore::nearest(const RecordKey& key, std::span<const std::int64_t> sizes,
                                         int limit,
                                         const std::function<bool(const Winner&)>& takes) {
    const OpenStore::Turn turn(tables_->store, kCallWait);
    const Transaction moment(tables_->store.connection(), Transaction::Kind::read);
    std::vector<Winner> nearest;
    for (const std::int64_t rowid : tables_->winners.neighbours(key, sizes)) {
        if (std::ssize(nearest) == limit) {
            break;
        }
        std::optional<Winner> winner = intact(tables_->winners.read(rowid));
        if (winner && takes(*winner)) {
            winner->image.clear();
            nearest.push_back(std::move(*winner));
        }
    }
    return nearest;
}

std::optional<Winner> TuningStore::with_image(const Winner& row) {
    const OpenStore::Turn turn(tables_->store, kCallWait);
    for (auto& [rowid, found] : tables_->winners.read_same(row)) {
        if (found.winner && winner_content(*found.winner) != winner_content(row)) {
            continue;
        }
        if (auto winner = intact(std::move(found))) {
            return winner;
        }
    }
    return std::nullopt;
}

SizeBox TuningStore::same_winners(const RecordKey& key, std::span<const std::int64_t> sizes,
                                  SizeBox within) {
    const OpenStore::Turn turn(tables_->store, kCallWait);
    for (const WinnerTable::Place& place : tables_->winners.places(key)) {
        for (const SizeBox& box : place.boxes.value_or(std::vector<SizeBox>{})) {
            within = box.contains(sizes) ? within.common(box) : within.without(box, sizes);
        }
    }
    return within;
}

std::optional<Winner> TuningStore::save(std::span<const Measurement> measurements,
                                        std::span<const Winner> winners,
                                        std::span<const std::int64_t> sizes) {
    std::vector<Row> rows;
    std::vector<RecordKey> keys;
    for (const Measurement& measurement : measurements) {
        rows.push_back(to_row(measurement));
        if (keys.empty() || keys.back() != measurement.key) {
            keys.push_back(measurement.key);
        }
    }
    std::optional<Winner> serving;
    tables_->store.write(kSweepWait, [&] {
        for (const Row& row : rows) {
            tables_->measurements.put(row);
        }
        trim_measurements(tables_->store.connection(), keys, kMostMeasurements);
        for (const Winner& winner : winners) {
            put(winner);
        }
        if (!winners.empty() && !sizes.empty()) {
            serving = tables_->winners.find(winners.front().key, sizes, false).winner;
        }
    });
    return serving;
}

void TuningStore::pin(const std::string& id, bool pinned) {
    tables_->store.write(kSweepWait, [&] { tables_->winners.pin(id, pinned); });
}

bool TuningStore::save_choice(Winner& choice, std::span<const std::int64_t> sizes) {
    Winner pinned = choice;
    pinned.pinned = true;  // so that it yields to none that is surer of its time
    const auto serving = [&] { return tables_->winners.find(choice.key, sizes, false).winner; };
    bool is_saved = false;
    tables_->store.write(kSweepWait, [&] {
        const auto known = serving();
        if (known && known->pinned) {
            if (objective_of(*known) != objective_of(choice)) {
                choice = *known;
                return false;
            }
            tables_->winners.pin(winner_id(*known), false);  // else every other winner yields to it
        }
        put(pinned);
        tables_->winners.pin(winner_id(pinned), true);
        // A choice that was made at other sizes and served these, too, stays the choice where it
        // was made.
        if (known && known->pinned && known->sizes != pinned.sizes &&
            !tables_->winners.read_same(*known).empty()) {
            tables_->winners.pin(winner_id(*known), true);
        }
        const auto first = serving();
        is_saved = first && winner_id(*first) == winner_id(pinned);  // else others are pinned there
        if (!is_saved) {
            choice = first.value_or(choice);
        }
        return is_saved;
    });
    if (is_saved) {  // and committed: else write() has thrown
        choice = std::move(pinned);
    }
    return is_saved;
}

std::vector<Winner> TuningStore::winners(const std::function<bool(const Winner&)>& wants,
                                         std::int64_t skip, std::int64_t limit) {
    std::vector<Winner> winners;
    std::int64_t read = 0;
    std::int64_t damaged = 0;
    {
        const OpenStore::Turn turn(tables_->store, kSweepWait);
        const Transaction moment(tables_->store.connection(), Transaction::Kind::read);
        for (const std::int64_t rowid : tables_->winners.all()) {
            if (std::ssize(winners) == limit) {
                break;
            }
            WinnerTable::Found found = tables_->winners.read(rowid);
            ++read;
            damaged += found.damaged() ? 1 : 0;
            std::optional<Winner> winner = intact(std::move(found));
            if (winner && wants(*winner) && --skip < 0) {
                winner->image.clear();
                winners.push_back(std::move(*winner));
            }
        }
    }
    if (damaged > 0) {
        tables_->store.log().warning(
            "tuning database {}: {} of {} winners are damaged and left out; run "
            "`jitune db verify` for details",
            tables_->store.file().path, damaged, read);
    }
    return winners;
}

std::int64_t TuningStore::remove(std::span<const Winner> winners, bool also_measurements) {
    std::int64_t rows = 0;
    tables_->store.write(kSweepWait, [&] {
        rows = remove_winners(tables_->store.connection(), tables_->winners, winners,
                              also_measurements);
    });
    return rows;
}

PruneReport TuningStore::prune(const PruneRules& rules) {
    PruneReport report;
    tables_->store.write(kSweepWait, [&] {
        report = prune_rows(tables_->store.connection(), tables_->winners, rules);
        return !rules.dry_run;
    });
    return report;
}

void TuningStore::compact() {
    const OpenStore::Turn turn(tables_->store, kSweepWait);
    tables_->store.check_journal_mode();
    tables_->store.connection().vacuum();
}

std::vector<KeptBinary> TuningStore::binaries(const KeptBinary& wanted) {
    OpenStore& store = tables_->store;
    const OpenStore::Turn turn(store, kCallWait);
    Rows<KeptBinary> found = tables_->binaries.find(wanted);
    if (found.damaged > 0) {
        store.add_damaged(found.damaged);
        store.log().warning("tuning database {}: compiled code of {} is damaged and not used",
                            store.file().path, wanted.kernel);
    }
    return std::move(found.records);
}

void TuningStore::keep(std::span<const KeptBinary> binaries) {
    tables_->store.write(kShortWait, [&] { tables_->binaries.put(binaries); });
}

TuningStore::Check TuningStore::verify() {
    const OpenStore::Turn turn(tables_->store, kSweepWait);
    return check_store(tables_->store.connection());
}

TuningStore::Status TuningStore::status() {
    const OpenStore::Turn turn(tables_->store, kSweepWait);
    const StoreFile& file = tables_->store.file();
    sqlite::Connection& connection = tables_->store.connection();
    return {file.path,
            file.journal_mode.name,
            file.journal_mode.reason,
            sqlite::library_version(),
            connection.integer("PRAGMA user_version"),
            connection.integer("PRAGMA page_count") * connection.integer("PRAGMA page_size")};
}

std::int64_t TuningStore::version() {
    const OpenStore::Turn turn(tables_->store, kCallWait);
    return tables_->store.connection().integer("PRAGMA data_version");
}

std::int64_t TuningStore::bad_rows() const {
    tables_->store.require_owner();
    return tables_->store.damaged();
}

}  // namespace jitune::internal
