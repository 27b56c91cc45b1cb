// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "range/cost_table.hpp"
#include "range/range_fit.hpp"

namespace jitune::internal {

/// Sizes at which a comparison would tell more about the boundary between two ranges.
struct BoundaryDoubt {
    Sizes sizes;
    std::vector<std::size_t> servers;  ///< the configurations on both sides, to compare
    double at_stake = 0;               ///< octaves between both sides times the loss there
};

/// The doubts about boundaries of `ranges`, at most 16, those with most at stake first. A doubt
/// lies at a probe at which the other side's configuration was not compared; if there is none, in
/// the middle between probes that are more than `apart` octaves from each other. A boundary does
/// not matter if each side's configuration serves the other side within `limit`.
std::vector<BoundaryDoubt> largest_doubts(const std::vector<FittedRange>& ranges,
                                          const CostTable& table, double limit, double apart);

}  // namespace jitune::internal
