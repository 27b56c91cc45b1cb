// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sweep/sweep_problem.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// The places of the problems, that first of which the largest speed-up is expected: as
/// CallEstimate expects it of the problem's sizes, or of those in the middle of its range, by what
/// the `winners` of the platform tell and else of any kernel. How often it is called is not known.
/// `platform`: "host" or "cuda". Equal ones keep their order.
std::vector<std::size_t> gain_order(std::span<const SweepProblem> problems,
                                    const std::string& platform, std::span<const Winner> winners);

}  // namespace jitune::internal
