// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "jitune/options.hpp"
#include "tuning/search/search_plan.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {

/// What the arguments of `jitune tune` ask of a search, beside Options.
struct TuneWishes {
    std::string from;                ///< file of recorded results
    std::vector<std::string> first;  ///< configurations, see parse_configuration()
    std::vector<std::string> only;   ///< restrictions, see restricted_parameters()
    std::size_t evaluations = 0;
    bool again = false;
};

/// Throws Error(usage) that names the option, for what the task's space does not have.
SearchPlan tune_plan(const TuneWishes& wishes, const Options& options, const Task& task);

}  // namespace jitune::internal
