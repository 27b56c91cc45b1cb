// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dispatch/behind/stored_costs.hpp"
#include "tuner_db/tuning_store.hpp"
#include "tuner_db/winners/winner_index.hpp"

namespace jitune::internal {

/// A time in seconds with the bounds of its interval; equal if that is not known.
struct SavedTime {
    double seconds = 0;
    double low = 0;
    double high = 0;

    void add(const SavedTime& other);
};

/// A stored winner and the recorded calls that its configuration has answered at sizes of its
/// range.
struct WinnerUsage {
    Winner winner;  ///< without its image
    std::int64_t calls = 0;
    std::string last_at;  ///< UTC; empty: no call
    SavedTime saved;      ///< beside the template's default
};

/// What the recorded calls tell of a table of winners.
struct UsageReport {
    std::vector<WinnerUsage> winners;             ///< all of them, those that saved most first
    std::map<std::string, std::int64_t> origins;  ///< calls by CallRecord::origin
    std::int64_t calls = 0;                       ///< of all origins
    std::int64_t withheld = 0;                    ///< calls as AnswerIndex::is_for_withheld()
    std::int64_t replaced = 0;  ///< calls that winners have answered that are gone by now
    SavedTime saved;
    std::string first_at, last_at;  ///< UTC; empty: no call
};

/// Tells which winners of a table have answered recorded calls.
class AnswerIndex {
public:
    /// `winners` must outlive the index.
    explicit AnswerIndex(std::span<const Winner> winners) : winners_(winners), index_(winners) {}

    /// The place of the very winner that has answered these calls, at sizes that it still serves;
    /// nothing if it is gone or another answer has served them.
    [[nodiscard]] std::optional<std::size_t> answering(const CallRecord& usage) const;

    /// Whether the default has answered these calls in the place of a winner that may_be_slower():
    /// one is stored that is no younger than the last of them.
    [[nodiscard]] bool is_for_withheld(const CallRecord& usage) const;

private:
    std::span<const Winner> winners_;
    WinnerIndex index_;
};

/// The time in ns of a winner's configuration at sizes that it serves; nothing if it is unknown.
using WinnerTime = std::function<std::optional<double>(const Winner& winner, const Sizes& sizes)>;

/// A call saves what the winner is faster than the default where it was tuned, in parts of its own
/// time. That is `time_at` the call's sizes, or the winner's own. The interval is that of the
/// speed-up.
UsageReport usage_report(std::span<const Winner> winners, std::span<const CallRecord> usages,
                         const WinnerTime& time_at);

/// The same by what the comparisons of the database say. Throws Error(store).
UsageReport usage_report_of(std::span<const Winner> winners, std::span<const CallRecord> usages,
                            ComparedTimes& times);

}  // namespace jitune::internal
