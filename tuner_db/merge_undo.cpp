// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/merge_undo.hpp"

#include <map>
#include <string>
#include <vector>

#include "tuner_db/box_sets.hpp"
#include "tuner_db/claim.hpp"
#include "tuner_db/merge_log.hpp"
#include "tuner_db/precedence.hpp"
#include "tuner_db/record_row.hpp"

namespace jitune::internal {

namespace {

/// The rows of a table by their contents.
std::multimap<std::string, std::int64_t> rows_by_content(WinnerTable& winners) {
    std::multimap<std::string, std::int64_t> rows;
    for (const std::int64_t rowid : winners.all()) {
        if (const auto found = winners.read(rowid); found.winner) {
            rows.emplace(winner_content(*found.winner), rowid);
        }
    }
    return rows;
}

/// The sizes of the rows of a key that were made after a moment.
std::vector<SizeBox> served_since(WinnerTable& winners, const RecordKey& key,
                                  const std::string& moment) {
    std::vector<SizeBox> served;
    for (const WinnerTable::Place& place : winners.places(key)) {
        const auto found = winners.read(place.rowid);
        if (found.counts() && found.winner->provenance.created_at >= moment) {
            served.insert(served.end(), place.boxes->begin(), place.boxes->end());
        }
    }
    return served;
}

}  // namespace

UndoReport undo_last_merge(sqlite::Connection& connection, WinnerTable& winners) {
    MergeLog log(connection);
    const std::vector<Merge> merges = log.merges();
    UndoReport report;
    if (merges.empty() || log.steps().empty() || log.steps().front().merge != merges[0].number) {
        return report;
    }
    report.source = merges[0].source;
    sqlite::Statement drop_measurement(connection,
                                       "DELETE FROM measurement WHERE lower(hex(digest)) = ?1");
    const auto rows = rows_by_content(winners);
    for (const MergeStep& step : log.steps()) {
        if (step.kind == MergeStep::kMeasurement) {
            drop_measurement.execute({step.name});
            ++report.measurements;
        }
        if (step.kind != MergeStep::kWinner) {
            continue;
        }
        const auto [begin, end] = rows.equal_range(step.name);
        for (auto row = begin; row != end; ++row) {
            if (const auto found = winners.read(row->second); found.digest) {
                winners.drop(row->second, *found.digest);
            }
        }
        ++report.winners;
        if (auto before = winner_before(step)) {
            const auto left = outside(*boxes_of(*before),
                                      served_since(winners, before->key, merges[0].merged_at));
            if (!left.empty()) {
                before->range.covers = canonical_covers(before->sizes, left);
                winners.add(*before);
            }
        }
    }
    log.take_back(merges[0]);
    return report;
}

}  // namespace jitune::internal
