// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "range/cost_table.hpp"
#include "range/range_fit.hpp"

namespace jitune::internal {

/// Where a comparison would tell more about the boundary between two ranges.
struct BoundaryDoubt {
    Sizes sizes;
    std::vector<std::size_t> servers;  ///< the configurations on both sides, to compare
    double at_stake = 0;               ///< octaves between both sides times the loss there
};

/// The doubts about boundaries of `ranges` where most is at stake, those first; at most 16. A doubt
/// lies at a probe where the other side's configuration was not compared, else in the middle of
/// probes that are more than `apart` octaves from each other. A boundary does not matter where each
/// side's configuration serves the other side within `limit`.
std::vector<BoundaryDoubt> largest_doubts(const std::vector<FittedRange>& ranges,
                                          const CostTable& table, double limit, double apart);

}  // namespace jitune::internal
