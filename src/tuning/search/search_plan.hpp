// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// How to search for a winner, and what is known before the search. It travels to a worker whole.
struct SearchPlan {
    std::string strategy = "random";
    std::uint64_t seed = 0;
    /// No new candidate is started after this; zero: no limit. The template's default is always
    /// tried.
    std::chrono::milliseconds budget{0};
    /// Not zero: the limit of the whole tuning from its begin, with the data, the finals and the
    /// winner's own compile. The search gets the rest of the time.
    std::chrono::milliseconds limit{0};
    std::size_t max_evaluations = 0;  ///< zero: no limit; history counts
    /// The search ends when the best median is at most this, or this many times shorter than the
    /// default's; zero: no target.
    double target_ns = 0;
    double target_speed_up = 0;
    std::size_t compile_threads = 0;  ///< zero: CompileAhead's own choice
    /// The part of the budget that the search which this one resumes has used up.
    std::chrono::milliseconds spent{0};
    /// Earlier verdicts, at most one for a configuration. They count as evaluated and are not
    /// measured again, but for those that reach the finals.
    std::vector<Measurement> history = {};
    /// Configurations that may take the process or the machine down: each is compiled and run
    /// while nothing else is.
    std::vector<std::string> suspects = {};
    /// Configurations that somebody asked for, the most wanted first. Those among the candidates
    /// are tried after the default and the incumbent, whatever the budget.
    std::vector<std::string> first = {};
    /// Not empty: the candidates are only what restricted_space() leaves of the space, with the
    /// default and the incumbent. Such a search is never complete.
    std::vector<std::string> only = {};
    /// recall() ignores the times of earlier tunings, but still skips configurations that must not
    /// run again.
    bool anew = false;
    /// Promising configurations. Those among the candidates are tried before the strategy is
    /// asked, in the order in which the compilers finish them.
    std::vector<std::string> hints = {};
    /// For compare(): a few samples of each configuration will do. Without finals there is no
    /// winner.
    bool brief = false;
    /// The winner so far, or empty. It is tried after the default, and stays unless another is
    /// clearly faster. A configuration that the space does not hold is ignored.
    std::string incumbent = {};

    // When the parts of a tuning with a limit end, after its begin: the search, the wait for what
    // compiles then, and the finals. The rest is for the winner's own compile.
    [[nodiscard]] std::chrono::milliseconds search_end() const { return limit - reserve(); }
    [[nodiscard]] std::chrono::milliseconds late_end() const { return limit - reserve() * 5 / 8; }
    [[nodiscard]] std::chrono::milliseconds finals_end() const { return limit - reserve() / 4; }

    [[nodiscard]] bool has_target() const { return target_ns > 0 || target_speed_up > 0; }

    /// How many evaluations the limits allow at a rate; 0: no limit.
    [[nodiscard]] std::size_t expected_evaluations(double per_second) const {
        const auto time = budget.count() > 0 ? budget : limit;
        const auto in_time =
            static_cast<std::size_t>(std::chrono::duration<double>(time).count() * per_second);
        if (max_evaluations == 0 || in_time == 0) {
            return std::max(max_evaluations, in_time);
        }
        return std::min(max_evaluations, in_time);
    }

private:
    /// The part of a limit that is left for what comes after the search: these steps take about as
    /// long for each problem.
    [[nodiscard]] std::chrono::milliseconds reserve() const {
        return std::min(limit / 4, std::chrono::milliseconds(500));
    }
};

}  // namespace jitune::internal
