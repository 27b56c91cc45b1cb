// SPDX-License-Identifier: Apache-2.0
// What TuningStore does with whole databases.
#include <filesystem>

#include <fmt/format.h>

#include "tuner_db/merge/merge_log.hpp"
#include "tuner_db/merge/merge_undo.hpp"
#include "tuner_db/merge/store_merge.hpp"
#include "tuner_db/tuning_store.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/prune.hpp"

namespace jitune::internal {

std::unique_ptr<TuningStore> TuningStore::open_other(const std::filesystem::path& path,
                                                     const Log& log) {
    return std::unique_ptr<TuningStore>(new TuningStore(open_other_store_file(path), log));
}

MergeReport TuningStore::merge(TuningStore& other, const MergeOptions& options) {
    const std::string& here = tables_->file.file().path;
    const std::string& there = other.tables_->file.file().path;
    if (!here.empty() && !there.empty() && std::filesystem::equivalent(there, here)) {
        throw Error(ErrorKind::store,
                    fmt::format("cannot merge {} into itself: name another database", here));
    }
    const OpenStore::Turn turn(tables_->file, kSweepWait);
    const OpenStore::Turn others_turn(other.tables_->file, kSweepWait);
    const sqlite::Transaction moment(other.tables_->file.connection(),
                                     sqlite::Transaction::Kind::read);
    sqlite::Transaction transaction(tables_->file.connection(), sqlite::Transaction::Kind::write);
    tables_->file.check_journal_mode();
    StoreMerge merge(tables_->file.connection(), tables_->winners, tables_->put_measurement,
                     other.tables_->file.connection(), options);
    MergeReport report = merge.run(std::filesystem::path(there).filename().string());
    if (!options.dry_run) {
        transaction.commit();
    }
    return report;
}

bool TuningStore::give_code(const Winner& merged, Winner whole) {
    const std::string content = winner_content(merged);
    const OpenStore::Turn turn(tables_->file, kSweepWait);
    bool is_there = false;
    tables_->file.write([&] {
        for (const auto& [rowid, same] : tables_->winners.read_same(merged)) {
            if (same.counts() && winner_content(*same.winner) == content) {
                whole.range.covers = same.winner->range.covers;
                tables_->winners.drop(rowid, *same.digest);
                tables_->winners.add(whole);
                tables_->calls.remove_served(whole);
                is_there = true;
                return;
            }
        }
    });
    return is_there;
}

std::int64_t TuningStore::remove(std::span<const Winner> winners, bool also_measurements) {
    const OpenStore::Turn turn(tables_->file, kSweepWait);
    std::int64_t rows = 0;
    tables_->file.write([&] {
        rows = remove_winners(tables_->file.connection(), tables_->winners, winners,
                              also_measurements);
    });
    return rows;
}

PruneReport TuningStore::prune(const PruneRules& rules) {
    const OpenStore::Turn turn(tables_->file, kSweepWait);
    sqlite::Transaction transaction(tables_->file.connection(), sqlite::Transaction::Kind::write);
    tables_->file.check_journal_mode();
    const PruneReport report = prune_rows(tables_->file.connection(), tables_->winners, rules);
    if (!rules.dry_run) {
        transaction.commit();
    }
    return report;
}

void TuningStore::compact() {
    const OpenStore::Turn turn(tables_->file, kSweepWait);
    tables_->file.check_journal_mode();
    tables_->file.connection().vacuum();
}

std::vector<std::string> TuningStore::measurement_digests() {
    const OpenStore::Turn turn(tables_->file, kSweepWait);
    sqlite::Statement all(tables_->file.connection(),
                          "SELECT digest FROM measurement ORDER BY digest");
    std::vector<std::string> digests;
    for (sqlite::Cursor cursor = all.run(); cursor.next();) {
        if (const sqlite::Row row = cursor.row(); std::holds_alternative<sqlite::Blob>(row[0])) {
            digests.push_back(std::get<sqlite::Blob>(row[0]).bytes);
        }
    }
    return digests;
}

UndoReport TuningStore::undo_merge() {
    const OpenStore::Turn turn(tables_->file, kSweepWait);
    UndoReport report;
    tables_->file.write(
        [&] { report = undo_last_merge(tables_->file.connection(), tables_->winners); });
    return report;
}

std::vector<Merge> TuningStore::merges() {
    const OpenStore::Turn turn(tables_->file, kSweepWait);
    return MergeLog(tables_->file.connection()).merges();
}

std::vector<MergedWinner> TuningStore::merged_winners() {
    const OpenStore::Turn turn(tables_->file, kSweepWait);
    return MergeLog(tables_->file.connection()).merged_winners();
}

}  // namespace jitune::internal
