// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/merge/stored_merges.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

#include <fmt/format.h>

#include "sizes/box_sets.hpp"
#include "tuner_db/merge/merge_run.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/record_row.hpp"

namespace jitune::internal {

namespace {

/// The rows of a table by their contents; rows with code also by their contents without code.
std::multimap<std::string, std::int64_t> rows_by_content(WinnerTable& winners) {
    std::multimap<std::string, std::int64_t> rows;
    for (const std::int64_t rowid : winners.all()) {
        if (auto found = winners.read(rowid); found.winner) {
            rows.emplace(winner_content(*found.winner), rowid);
            if (found.winner->image_format != kNoCode) {
                strip_code(*found.winner);
                rows.emplace(winner_content(*found.winner), rowid);
            }
        }
    }
    return rows;
}

/// The sizes of the rows of a key that were tuned here after a moment.
std::vector<SizeBox> tuned_since(WinnerTable& winners, MergeLog& log, const RecordKey& key,
                                 const std::string& moment) {
    std::vector<SizeBox> served;
    for (const WinnerTable::Place& place : winners.places(key)) {
        const auto found = winners.read(place.rowid);
        if (found.counts() && found.winner->provenance.created_at >= moment &&
            !log.brought(winner_content(*found.winner))) {
            served.insert(served.end(), place.boxes->begin(), place.boxes->end());
        }
    }
    return served;
}

/// Drops the rows that the merge has written, but keeps those that were there before.
void drop_merged_rows(WinnerTable& winners, const std::vector<MergeStep>& steps) {
    const auto rows = rows_by_content(winners);
    for (const MergeStep& step : steps) {
        if (step.kind != MergeStep::kWinner) {
            continue;
        }
        const auto [begin, end] = rows.equal_range(step.name);
        for (auto row = begin; row != end; ++row) {
            if (const auto found = winners.read(row->second); found.digest) {
                winners.drop(row->second, *found.digest);
            }
        }
    }
}

sqlite::Blob digest_in(const std::string& digits) {
    sqlite::Blob digest;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        digest.bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    }
    return digest;
}

/// In a write transaction of the caller.
UndoReport undo_last(sqlite::Connection& connection, WinnerTable& winners) {
    MergeLog log(connection);
    const std::vector<Merge> merges = log.merges();
    UndoReport report;
    if (merges.empty() || log.steps().empty() || log.steps().front().merge != merges[0].number) {
        return report;
    }
    const std::vector<MergeStep> steps = log.steps();
    report = {merges[0].source, merges[0].measurements, merges[0].winners};
    sqlite::Statement drop_measurement(connection, "DELETE FROM measurement WHERE digest = ?1");
    for (const MergeStep& step : steps) {
        if (step.kind == MergeStep::kMeasurement) {
            drop_measurement.execute({digest_in(step.name)});
        }
    }
    // Drop all of them before any row comes back: else they would count as tuned since.
    drop_merged_rows(winners, steps);
    for (const MergeStep& step : steps) {
        if (step.kind != MergeStep::kWinner) {
            continue;
        }
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
    return report;
}

}  // namespace

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
    MergeRun merge(store_.connection(), winners_, measurements_, other.store_.connection(),
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
    store_.write([&] { report = undo_last(store_.connection(), winners_); });
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
