// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sizes/size_box.hpp"
#include "tuner_db/file/fields.hpp"
#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

struct MergeOptions {
    /// True: takes the code of the other database, too. False: its winners come without code, and
    /// serve once they are compiled and checked here (Engine::adopt()).
    bool trust_code = false;
    bool dry_run = false;  ///< reports, and changes nothing
    /// The winners, and the keys of the measurements, that are taken; null: all.
    std::function<bool(const Winner&)> wants = {};
    std::function<bool(const RecordKey&)> wants_key = {};
};

/// A winner of the other database that meets one of another place at the same sizes.
struct MergeMeeting {
    Winner first;   ///< serves where both might
    Winner second;  ///< both without images
    bool first_is_new = false;
    bool disagree = false;  ///< as disagree(): one race more would tell
    std::string reason;     ///< precedence_reason()
};

struct MergeReport {
    std::int64_t number = 0;  ///< of the merge; 0: nothing was new
    std::int64_t measurements = 0;
    std::int64_t winners = 0;       ///< new rows, and known ones that serve more sizes
    std::int64_t without_code = 0;  ///< of `winners`: not trusted
    std::int64_t known = 0;         ///< measurements and winners that were there, or came before
    std::int64_t superseded = 0;    ///< winners whose sizes others of the same place have
    std::int64_t damaged = 0;       ///< rows of the other database that are left out
    std::vector<MergeMeeting> meetings = {};  ///< the first kMostMeetings
    std::int64_t all_meetings = 0;

    static constexpr std::int64_t kMostMeetings = 1000;
};

/// The result of an undo: what it has taken back.
struct UndoReport {
    std::string source;  ///< of the merge; empty: there was no merge to take back
    std::int64_t measurements = 0;
    std::int64_t winners = 0;
};

/// A merge that has added something to this database.
struct Merge {
    static constexpr const char* kTable = "merge";

    std::int64_t number = 0;
    std::string source;     ///< name of the file
    std::string merged_at;  ///< UTC, "2026-11-20T16:00:00Z"
    bool code_trusted = false;
    std::int64_t measurements = 0;  ///< that were new
    std::int64_t winners = 0;       ///< that were new, or serve more sizes since

    bool operator==(const Merge&) const = default;
};

template <MaybeConst<Merge> Record>
void fields(const auto& visit, Record& merge) {
    visit({.name = "number", .positive = true}, merge.number);
    visit({"source"}, merge.source);
    visit({"merged_at"}, merge.merged_at);
    visit({"code_trusted"}, merge.code_trusted);
    visit({"measurements"}, merge.measurements);
    visit({"winners"}, merge.winners);
}

/// What merges have brought of one winner.
struct MergedWinner {
    static constexpr const char* kTable = "merged_winner";

    std::string content;     ///< winner_content()
    std::string winner;      ///< winner_id()
    std::int64_t merge = 0;  ///< number of the last merge that has brought sizes of this winner
    std::string covers;      ///< all sizes that merges have brought, which do not come again
    std::string outcome;     ///< "new", "before", "behind", "no code" or "unsure"
    std::string reason;      ///< of "before" and "behind": precedence_reason()

    bool operator==(const MergedWinner&) const = default;

    [[nodiscard]] bool is_sound() const { return parse_coverage(covers).has_value(); }
};

template <MaybeConst<MergedWinner> Record>
void fields(const auto& visit, Record& merged) {
    visit({"content"}, merged.content);
    visit({"winner"}, merged.winner);
    visit({.name = "merge", .positive = true}, merged.merge);
    visit({"covers"}, merged.covers);
    visit({"outcome"}, merged.outcome);
    visit({"reason"}, merged.reason);
}

/// One change of the last merge, and what stood there before.
struct MergeStep {
    static constexpr const char* kTable = "merge_step";
    static constexpr const char* kMeasurement = "measurement";
    static constexpr const char* kWinner = "winner";
    static constexpr const char* kMergedWinner = "merged_winner";

    std::int64_t merge = 0;
    std::int64_t number = 0;
    std::string kind;    ///< the table
    std::string name;    ///< of a measurement its digest, else the content
    std::string before;  ///< the record as frame() of its fields; empty: there was none
};

template <MaybeConst<MergeStep> Record>
void fields(const auto& visit, Record& step) {
    visit({.name = "merge", .positive = true}, step.merge);
    visit({.name = "number", .positive = true}, step.number);
    visit({"kind"}, step.kind);
    visit({"name"}, step.name);
    visit({.name = "before", .binary = true}, step.before);
}

/// The tables `merge`, `merged_winner` and `merge_step`. Takes no locks and begins no transactions:
/// the caller does.
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
    /// The sizes that earlier merges have brought of a winner.
    std::vector<SizeBox> brought(const std::string& content);
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
    /// Takes the last merge, its steps and what it has brought out of the log.
    void take_back(const Merge& merge);

private:
    std::optional<MergedWinner> known(const std::string& content);
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
