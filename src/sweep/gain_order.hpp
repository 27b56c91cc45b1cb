// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sweep/sweep_problem.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// The places of the problems in the order of their expected speed-ups, the largest first.
/// CallEstimate expects them at the problem's sizes, or in the middle of its range, from the
/// `winners` of the platform; without such winners, it expects what any kernel gains. How often a
/// problem is called is not known. `platform`: "host" or "cuda". Equal ones keep their order.
std::vector<std::size_t> gain_order(std::span<const SweepProblem> problems,
                                    const std::string& platform, std::span<const Winner> winners);

}  // namespace jitune::internal
