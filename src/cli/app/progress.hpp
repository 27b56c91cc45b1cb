// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "sweep/sweep.hpp"

namespace jitune::internal {

/// Estimated seconds until the sweep is done: problems under way go on at their rate so far, within
/// their budget; each other problem takes the mean of those that are done and were not skipped as
/// complete.
double seconds_left(const SweepState& state);

/// "searched 3/21 sizes, compared 40"
std::string range_progress_text(const TuneProgress::Range& range);

/// "[3/19] float32 sum 2^12: 120/480 tried, 65/s, best 2.10 us, 0:42 left"; of several devices
/// "[2/19] 131/s, 0:42 left: cuda:0 float32 sum 2^12 120/480, cuda:1 float32 sum 2^13 7/480",
/// where the first number counts the problems that are done. A run that has waited long for a
/// candidate says for which, and until when: "waiting 12 s (at most 60 s) for block=64 items=2".
std::string progress_text(const SweepState& state);

/// progress_text() in one line of a terminal; a text that is too long has "..." in its middle.
std::string progress_line(const SweepState& state, std::size_t columns);

/// Shows progress on standard error. On a terminal, rewrites one line in place; else writes a line
/// every ten seconds, or as often as JITUNE_PROGRESS says, which jitune_command() sets.
class Progress {
public:
    /// Throws Error(usage) for another value of JITUNE_PROGRESS.
    Progress();
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Shows `state`, unless the last line is too recent.
    void show(const SweepState& state);

    /// Clears the line for other output.
    void clear();

private:
    using Clock = std::chrono::steady_clock;

    bool terminal_;
    std::chrono::milliseconds interval_;
    bool visible_ = false;
    Clock::time_point next_;
};

/// Shows how far the tuning of one problem is, and sees how fast it is.
class TuneWatch {
public:
    TuneWatch(std::string device, std::string name, const Options& options);

    /// Takes the progress that TuneHooks tell.
    void operator()(const TuneProgress& progress);

    [[nodiscard]] const std::string& name() const { return state_.runs.front().name; }
    void clear() { shown_.clear(); }

    /// For the candidates that have not been tried, at the rate so far; nothing if that is not
    /// known.
    [[nodiscard]] std::optional<double> seconds_left() const;

private:
    using Clock = std::chrono::steady_clock;

    SweepState state_;
    std::optional<RunState> first_;  ///< when the first candidate was done
    RunState last_;                  ///< when the last one was
    Clock::time_point start_ = Clock::now();
    Progress shown_;
};

}  // namespace jitune::internal
