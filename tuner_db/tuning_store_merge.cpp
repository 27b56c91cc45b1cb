// SPDX-License-Identifier: Apache-2.0
// What TuningStore does with whole databases.
#include <filesystem>

#include <fmt/format.h>

#include "tuner_db/merge/merge_log.hpp"
#include "tuner_db/merge/merge_undo.hpp"
#include "tuner_db/merge/store_merge.hpp"
#include "tuner_db/tuning_store_impl.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/prune.hpp"

namespace jitune::internal {

std::unique_ptr<TuningStore> TuningStore::open_other(const std::filesystem::path& path,
                                                     const Log& log) {
    auto impl = std::make_unique<Impl>(open_other_store_file(path), log);
    return std::unique_ptr<TuningStore>(new TuningStore(std::move(impl)));
}

MergeReport TuningStore::merge(TuningStore& other, const MergeOptions& options) {
    const std::string& here = impl_->file_.path;
    const std::string& there = other.impl_->file_.path;
    if (!here.empty() && !there.empty() && std::filesystem::equivalent(there, here)) {
        throw Error(ErrorKind::store,
                    fmt::format("cannot merge {} into itself: name another database", here));
    }
    const Impl::Turn turn(*impl_, kSweepWait);
    const Impl::Turn others_turn(*other.impl_, kSweepWait);
    const sqlite::Transaction moment(other.impl_->connection_, sqlite::Transaction::Kind::read);
    sqlite::Transaction transaction(impl_->connection_, sqlite::Transaction::Kind::write);
    impl_->check_journal();
    StoreMerge merge(impl_->connection_, impl_->winners_, impl_->put_measurement_,
                     other.impl_->connection_, options);
    MergeReport report = merge.run(std::filesystem::path(there).filename().string());
    if (!options.dry_run) {
        transaction.commit();
    }
    return report;
}

bool TuningStore::give_code(const Winner& merged, Winner whole) {
    const std::string content = winner_content(merged);
    const Impl::Turn turn(*impl_, kSweepWait);
    bool is_there = false;
    impl_->write([&] {
        for (const auto& [rowid, same] : impl_->winners_.read_same(merged)) {
            if (same.counts() && winner_content(*same.winner) == content) {
                whole.range.covers = same.winner->range.covers;
                impl_->winners_.drop(rowid, *same.digest);
                impl_->winners_.add(whole);
                impl_->misses_.remove_served(whole);
                is_there = true;
                return;
            }
        }
    });
    return is_there;
}

std::int64_t TuningStore::remove(std::span<const Winner> winners, bool also_measurements) {
    const Impl::Turn turn(*impl_, kSweepWait);
    std::int64_t rows = 0;
    impl_->write([&] {
        rows = remove_winners(impl_->connection_, impl_->winners_, winners, also_measurements);
    });
    return rows;
}

PruneReport TuningStore::prune(const PruneRules& rules) {
    const Impl::Turn turn(*impl_, kSweepWait);
    sqlite::Transaction transaction(impl_->connection_, sqlite::Transaction::Kind::write);
    impl_->check_journal();
    const PruneReport report = prune_rows(impl_->connection_, impl_->winners_, rules);
    if (!rules.dry_run) {
        transaction.commit();
    }
    return report;
}

void TuningStore::compact() {
    const Impl::Turn turn(*impl_, kSweepWait);
    impl_->check_journal();
    impl_->connection_.vacuum();
}

std::vector<std::string> TuningStore::measurement_digests() {
    const Impl::Turn turn(*impl_, kSweepWait);
    sqlite::Statement all(impl_->connection_, "SELECT digest FROM measurement ORDER BY digest");
    std::vector<std::string> digests;
    for (sqlite::Cursor cursor = all.run(); cursor.next();) {
        if (const sqlite::Row row = cursor.row(); std::holds_alternative<sqlite::Blob>(row[0])) {
            digests.push_back(std::get<sqlite::Blob>(row[0]).bytes);
        }
    }
    return digests;
}

UndoReport TuningStore::undo_merge() {
    const Impl::Turn turn(*impl_, kSweepWait);
    UndoReport report;
    impl_->write([&] { report = undo_last_merge(impl_->connection_, impl_->winners_); });
    return report;
}

std::vector<Merge> TuningStore::merges() {
    const Impl::Turn turn(*impl_, kSweepWait);
    return MergeLog(impl_->connection_).merges();
}

std::vector<MergedWinner> TuningStore::merged_winners() {
    const Impl::Turn turn(*impl_, kSweepWait);
    return MergeLog(impl_->connection_).merged_winners();
}

}  // namespace jitune::internal
