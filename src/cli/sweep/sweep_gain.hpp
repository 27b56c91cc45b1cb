// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/sweep/sweep_family.hpp"
#include "sweep/sweep_result.hpp"

namespace jitune::internal {

/// How much of the sizes that a problem asks for has winners that are not unsure, nor
/// provisional where they are of single sizes: 1 is all.
double served_share(const SweepProblem& problem, const SweepRow& row);

/// The last line of a sweep: what was gained over what answered before, and how much of all that
/// was asked for is served for sure, also of what was not begun. Before it advice, where that is
/// not all.
std::string sweep_gain(const SweepPlan& plan, const SweepResult& result);

}  // namespace jitune::internal
