// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/formats/json.hpp"
#include "tuning/search/search_plan.hpp"
#include "tuning/task.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

/// Candidates with the same verdict, none of which was timed.
struct FailedCandidates {
    Verdict verdict = Verdict::crashed;
    std::size_t count = 0;
    std::string reason;  ///< the most frequent, in one line; the first of a compiler's errors
    std::string configuration;  ///< the first that failed for it
};

/// What a tuning has tried of its space, with the results of earlier ones that it built on.
struct TriedCandidates {
    std::size_t candidates = 0;  ///< those of the space that were to be tried
    std::size_t tried = 0;
    std::size_t earlier = 0;   ///< of these, tried by earlier tunings
    std::size_t left_out = 0;  ///< configurations of the space that are no candidates
    std::size_t failed = 0;
    std::vector<FailedCandidates> failures;  ///< most frequent first
    double budget_s = 0;                     ///< of this tuning; 0: no limit
    std::optional<double> left_s;            ///< time for the rest, at the rate so far
    /// Why the search ended early, if it did: the limit on evaluations, or the user.
    bool is_counted_out = false;
    bool interrupted = false;
};

/// What was tried, without `left_s` and the members behind it.
TriedCandidates tried_candidates(const Task& task, const SearchPlan& plan,
                                 const TuneReport& report);

/// "143 of 480 configurations tried (29 %), about 14 s more for the rest: --budget 20", and a line
/// for each kind of failure. The budget is above the one that this tuning had.
std::string tried_text(const TriedCandidates& tried);

/// The members "evaluated", "earlier", "space", "left_out", "left_s", "failed" and "failures".
Json tried_json(const TriedCandidates& tried);

}  // namespace jitune::internal
