// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tuner_db/calls/stored_calls.hpp"
#include "tuner_db/merge/merge_log.hpp"
#include "tuner_db/open_store.hpp"
#include "tuner_db/winners/record.hpp"
#include "tuner_db/winners/stored_measurements.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

/// The merges of other databases into a store. Thread-safe. Functions throw Error(store).
class StoredMerges {
public:
    /// All must outlive it.
    StoredMerges(OpenStore& store, WinnerTable& winners, StoredMeasurements& measurements,
                 StoredCalls& calls)
        : store_(store), winners_(winners), measurements_(measurements), calls_(calls) {}

    /// Unites the measurements and winners of another database with these, in one transaction. Any
    /// order of merges, and any repetition, makes the same tables. Throws Error(store), also if
    /// `other` is of the same file.
    MergeReport add(StoredMerges& other, const MergeOptions& options);

    /// Puts `whole` in the place of the row `merged`, which has no code and is the same winner.
    /// False if that row has gone.
    bool give_code(const Winner& merged, Winner whole);

    /// Takes the last merge back: what it has added goes, what it has changed comes back, but for
    /// sizes that younger winners serve. Merges before the last one stay.
    UndoReport undo();

    /// The merges that have added something, the last one first.
    std::vector<Merge> all();
    /// What merges have brought of each winner.
    std::vector<MergedWinner> winners();

private:
    OpenStore& store_;
    WinnerTable& winners_;
    StoredMeasurements& measurements_;
    StoredCalls& calls_;
};

}  // namespace jitune::internal
