// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/merge/stored_merges.hpp"

#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "tuner_db/merge/merge_log.hpp"
#include "tuner_db/merge/merge_undo.hpp"
#include "tuner_db/merge/store_merge.hpp"
#include "tuner_db/winners/precedence.hpp"

namespace jitune::internal {

MergeReport StoredMerges::add(StoredMerges& other, const MergeOptions& options) {
    const std::string& here = store_.file().path;
    const std::string& there = other.store_.file().path;
    if (!here.empty() && !there.empty() && std::filesystem::equivalent(there, here)) {
        throw Error(ErrorKind::store,
                    fmt::format("cannot merge {} into itself: name another database", here));
    }
    const OpenStore::Turn turn(store_, kSweepWait);
    const OpenStore::Turn others_turn(other.store_, kSweepWait);
    const sqlite::Transaction moment(other.store_.connection(), sqlite::Transaction::Kind::read);
    sqlite::Transaction transaction(store_.connection(), sqlite::Transaction::Kind::write);
    store_.check_journal_mode();
    StoreMerge merge(store_.connection(), winners_, measurements_, other.store_.connection(),
                     options);
    MergeReport report = merge.run(std::filesystem::path(there).filename().string());
    if (!options.dry_run) {
        transaction.commit();
    }
    return report;
}

bool StoredMerges::give_code(const Winner& merged, Winner whole) {
    const std::string content = winner_content(merged);
    const OpenStore::Turn turn(store_, kSweepWait);
    bool is_there = false;
    store_.write([&] {
        for (const auto& [rowid, same] : winners_.read_same(merged)) {
            if (same.counts() && winner_content(*same.winner) == content) {
                whole.range.covers = same.winner->range.covers;
                winners_.drop(rowid, *same.digest);
                winners_.add(whole);
                calls_.remove_served(whole);
                is_there = true;
                return;
            }
        }
    });
    return is_there;
}

UndoReport StoredMerges::undo() {
    const OpenStore::Turn turn(store_, kSweepWait);
    UndoReport report;
    store_.write([&] { report = undo_last_merge(store_.connection(), winners_); });
    return report;
}

std::vector<Merge> StoredMerges::all() {
    const OpenStore::Turn turn(store_, kSweepWait);
    return MergeLog(store_.connection()).merges();
}

std::vector<MergedWinner> StoredMerges::winners() {
    const OpenStore::Turn turn(store_, kSweepWait);
    return MergeLog(store_.connection()).merged_winners();
}

}  // namespace jitune::internal
