// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/merge/stored_merges.hpp"

#include <filesystem>
#include <set>
#include <string>

#include <fmt/format.h>

#include "sizes/box_sets.hpp"
#include "tuner_db/merge/merge_run.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/record_row.hpp"

namespace jitune::internal {

namespace {

/// The sizes of the rows of a key that were tuned here after a moment.
std::vector<SizeBox> tuned_since(WinnerTable& winners, MergeLog& log, const RecordKey& key,
                                 const std::string& moment) {
    std::vector<SizeBox> served;
    for (const WinnerTable::Place& place : winners.places(key)) {
        const auto found = winners.read(place.rowid);
        if (found.counts() && found.winner->provenance.created_at >= moment &&
            log.brought(winner_content(*found.winner)).empty()) {
            served.insert(served.end(), place.boxes->begin(), place.boxes->end());
        }
    }
    return served;
}

/// Drops the rows of these contents, also those that have got their code since.
void drop_rows(WinnerTable& winners, const std::set<std::string>& contents) {
    for (const std::int64_t rowid : winners.all()) {
        const auto found = winners.read(rowid);
        if (!found.winner) {
            continue;
        }
        Winner without_code = *found.winner;
        strip_code(without_code);
        if (contents.contains(winner_content(*found.winner)) ||
            contents.contains(winner_content(without_code))) {
            winners.drop(rowid, *found.digest);
        }
    }
}

/// In a write transaction of the caller.
UndoReport undo_last(sqlite::Connection& connection, WinnerTable& winners) {
    MergeLog log(connection);
    const std::vector<Merge> merges = log.merges();
    std::vector<MergeStep> steps = log.steps();
    if (merges.empty() || steps.empty() || steps.front().merge != merges[0].number) {
        return {};
    }
    connection.execute(
        "DELETE FROM measurement WHERE lower(hex(digest)) IN "
        "(SELECT name FROM merge_step WHERE kind = 'measurement')");
    std::erase_if(steps, [](const MergeStep& step) { return step.kind != MergeStep::kWinner; });
    std::set<std::string> changed;
    for (const MergeStep& step : steps) {
        changed.insert(step.name);
    }
    // Drop all of them before any row comes back: else they would count as tuned since.
    drop_rows(winners, changed);
    for (const MergeStep& step : steps) {
        if (auto before = winner_before(step)) {
            const auto left = outside(*boxes_of(*before),
                                      tuned_since(winners, log, before->key, merges[0].merged_at));
            if (!left.empty()) {
                before->range.covers = canonical_covers(before->sizes, left);
                winners.add(*before);
            }
        }
    }
    log.take_back(merges[0]);
    return {merges[0].source, merges[0].measurements, merges[0].winners};
}

}  // namespace

MergeReport StoredMerges::add(StoredMerges& other, const MergeOptions& options) {
    const std::string& here = store_.file().path;
    const std::string& there = other.store_.file().path;
    if (!here.empty() && !there.empty() && std::filesystem::equivalent(there, here)) {
        throw Error(ErrorKind::store,
                    fmt::format("cannot merge {} into itself: name another database", here));
    }
    MergeReport report;
    store_.write(kSweepWait, [&] {
        const OpenStore::Turn turn(other.store_, kSweepWait);
        sqlite::Connection& source = other.store_.connection();
        const sqlite::Transaction moment(source, sqlite::Transaction::Kind::read);
        MergeRun merge(store_.connection(), winners_, measurements_, source, options);
        report = merge.run(std::filesystem::path(there).filename().string());
        return !options.dry_run;
    });
    return report;
}

bool StoredMerges::give_code(const Winner& merged, Winner whole) {
    const std::string content = winner_content(merged);
    bool is_there = false;
    store_.write(kSweepWait, [&] {
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
    UndoReport report;
    store_.write(kSweepWait, [&] { report = undo_last(store_.connection(), winners_); });
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
