// SPDX-License-Identifier: Apache-2.0
// What TuningStore does with whole databases.
#include <filesystem>

#include <fmt/format.h>

#include "tuner_db/merge_log.hpp"
#include "tuner_db/merge_undo.hpp"
#include "tuner_db/store_merge.hpp"
#include "tuner_db/tuning_store_impl.hpp"

namespace jitune::internal {

MergeReport TuningStore::merge(const std::filesystem::path& from, const MergeOptions& options) {
    MergeSource source(from);
    const std::string& here = impl_->file_.path;
    if (!here.empty() && std::filesystem::equivalent(source.path(), here)) {
        throw Error(ErrorKind::store,
                    fmt::format("cannot merge {} into itself: name another database", here));
    }
    const Impl::Turn turn(*impl_, kSweepWait);
    sqlite::Transaction moment(source.connection(), sqlite::Transaction::Kind::read);
    sqlite::Transaction transaction(impl_->connection_, sqlite::Transaction::Kind::write);
    impl_->check_journal();
    StoreMerge merge(impl_->connection_, impl_->winners_, impl_->put_measurement_, source, options);
    MergeReport report = merge.run();
    if (!options.dry_run) {
        transaction.commit();
    }
    return report;
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

void TuningStore::pin(const std::string& id, bool pinned) {
    const Impl::Turn turn(*impl_, kSweepWait);
    impl_->write([&] { impl_->winners_.pin(id, pinned); });
}

}  // namespace jitune::internal
