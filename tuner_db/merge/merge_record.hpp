// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tuner_db/file/fields.hpp"

namespace jitune::internal {

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
    std::int64_t merge = 0;  ///< number of the last merge that has brought sizes of it
    std::string covers;      ///< all sizes that merges have brought, which do not come again
    std::string outcome;     ///< "new", "before", "behind", "no code" or "unsure"
    std::string reason;      ///< of "before" and "behind": precedence_reason()

    bool operator==(const MergedWinner&) const = default;
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

}  // namespace jitune::internal
