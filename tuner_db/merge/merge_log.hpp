// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/merge/merge_record.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// The tables `merge`, `merged_winner` and `merge_step`. No locks and no transactions: the caller
/// has them.
class MergeLog {
public:
    explicit MergeLog(const sqlite::Connection& connection);

    /// Begins a merge, and returns its number.
    std::int64_t begin();

    /// Notes that the merge has added this measurement.
    void added_measurement(const sqlite::Blob& digest);
    /// Notes what the row of this content was before the merge; nothing: there was no row.
    void changed_winner(const std::string& content, const std::optional<Winner>& before);
    /// True if no merge has brought a winner.
    bool is_empty();
    /// What earlier merges have brought of a winner.
    std::optional<MergedWinner> brought(const std::string& content);
    void put(const MergedWinner& merged);

    /// Ends the merge. The merge before it cannot be taken back any more.
    void end(const Merge& merge);
    /// Ends a merge that has brought nothing, and leaves no trace of it: the merge before can still
    /// be taken back.
    void end_without_news();

    /// All merges, the last one first.
    std::vector<Merge> merges();
    /// What merges have brought, in the order of their contents.
    std::vector<MergedWinner> merged_winners();

    /// The steps of the last merge, the last one first.
    std::vector<MergeStep> steps();
    /// Takes the last merge and what it has brought out of the log.
    void take_back(const Merge& merge);

private:
    void step(const char* kind, const std::string& name, const std::string& before);

    sqlite::Statement next_number_, clear_steps_, clear_older_steps_, put_step_, find_merged_,
        put_merged_, drop_merged_, put_merge_, drop_merge_, all_merges_, all_merged_, any_merged_,
        all_steps_;
    std::int64_t merge_ = 0;
    std::int64_t steps_ = 0;
};

/// The row of a step of kWinner before the merge; nothing if there was no row. Throws
/// Error(unavailable) if the bytes are malformed.
std::optional<Winner> winner_before(const MergeStep& step);

}  // namespace jitune::internal
