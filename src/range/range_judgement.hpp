// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "range/cost_table.hpp"
#include "range/range_fit.hpp"

namespace jitune::internal {

/// A configuration with the sizes that it serves.
struct ServedRange {
    std::string configuration;
    std::vector<SizeBox> boxes;
    Sizes sizes;            ///< at which it was compared, nearest to the middle of its first box
    double loss_bound = 1;  ///< the largest loss at sizes where it was compared
    int held_out = 0;       ///< how many of these were random and took no part in choosing it
    bool unsure = false;    ///< the limit is not met there, or no time was left to test it
};

/// The loss of the configuration that serves a held-out size.
struct HeldOutTest {
    Sizes sizes;
    double loss = 1;
    bool good = true;  ///< within the limit
};

/// Judges fitted ranges by the probes of `table`, from which they were made, and by `tests`, which
/// took no part in making them. Nothing is known of the `unknown` sizes: they do not meet the
/// limit. If a size does not meet the limit, the part of the range around it becomes unsure, up to
/// the nearest sizes that meet it; the rest is a range of its own. So do doubtful ranges. All
/// ranges become unsure if there are fewer than `wanted_tests` tests of all ranges together, or if
/// too many fail: more than one in twenty, in one dimension more than one in five by over 2.5 times
/// as much as the limit allows. A range of which all sizes were compared stays as it is. A
/// configuration has one sure range and one unsure one. Together they cover the sizes of `ranges`,
/// without overlaps, in ascending order.
std::vector<ServedRange> judge_ranges(const std::vector<FittedRange>& ranges,
                                      const CostTable& table, const std::vector<HeldOutTest>& tests,
                                      const std::vector<Sizes>& unknown, double limit,
                                      int wanted_tests, int dimensions);

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
