// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "range/cost_table.hpp"
#include "range/range_fit.hpp"

namespace jitune::internal {

/// A configuration with the sizes that it serves.
struct ServedRange {
    std::string configuration;  ///< kDefault: the template's default serves
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
    bool good = true;          ///< within the limit
    double expected_loss = 1;  ///< FittedRange::expected_loss
};

/// True if there are at least `wanted` tests, and at most one in five loses over 2.5 times as much
/// as the limit allows. This is for one dimension, in which the sizes on both sides tell how far a
/// failure reaches: on a busy machine, noise alone puts more than one in twenty slightly beyond the
/// limit. Within the uncertainty of so few tests.
bool have_passed(const std::vector<HeldOutTest>& tests, double limit, std::size_t wanted);

/// For several dimensions, the largest expected loss that can be trusted: of the tests that
/// expected no more, at most one in twenty failed. Nothing if there are fewer than `wanted` tests,
/// or if half of these would not do so.
std::optional<double> most_trusted_loss(std::vector<HeldOutTest> tests, std::size_t wanted);

/// Judges fitted ranges by the probes of `table`, from which they were made, and by `tests`, which
/// took no part in making them. Nothing is known of the `unknown` sizes: they do not meet the
/// limit. If a size does not meet the limit, the part of the range around it becomes unsure, up to
/// the nearest sizes that meet it; the rest is a range of its own. So do doubtful ranges, and all
/// ranges if the tests together have not passed. A range of which all sizes were compared stays as
/// it is. A configuration has one sure range and one unsure one. Together they cover the sizes of
/// `ranges`, without overlaps, in ascending order.
std::vector<ServedRange> judge_ranges(const std::vector<FittedRange>& ranges,
                                      const CostTable& table, const std::vector<HeldOutTest>& tests,
                                      const std::vector<Sizes>& unknown, double limit, bool passed);

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
