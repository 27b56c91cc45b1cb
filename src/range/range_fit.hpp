// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "range/cost_table.hpp"

namespace jitune::internal {

/// How good the ranges have to be.
struct FitLimits {
    double loss = 1.02;          ///< largest time of a range's configuration over the best one
    std::size_t most_codes = 8;  ///< different binaries; of shapes, configurations that go on
};

/// Sizes that one configuration serves.
struct FittedRange {
    SizeBox box;
    std::size_t configuration = 0;
    double expected_loss = 1;  ///< in the middle of the box, by estimates
    bool is_doubtful = false;  ///< too much is expected: it is not sure
};

/// Cuts the parts of a domain into boxes, each served by a configuration whose loss is within the
/// limit at all probes in the box: the fewest configurations that reach it, and few boxes. If
/// the limits cannot be met, the boxes around the probes concerned are served by what comes
/// nearest.
///
/// `codes`: for each configuration of the table the number of its binary. The result does not
/// depend on the order of the probes or of the configurations' numbers: ties go to the text that
/// comes first and to the roundest boundary. There is at least one probe with a time,
/// and in each of several parts one.
std::vector<FittedRange> fit_ranges(const CostTable& table, const std::vector<SizeBox>& parts,
                                    const std::vector<std::size_t>& codes, const FitLimits& limits);

/// `most` configurations, or all if there are fewer, that serve the probes best together. Each in
/// turn is the one that lowers most the mean logarithm of the losses, if the best of those chosen
/// serves each probe; of equals, the one that loses least alone, then whose text comes first.
std::vector<std::size_t> best_together(const CostTable& table, std::size_t most);

/// The range that holds `sizes`, which lie in the domain.
const FittedRange& range_of(const std::vector<FittedRange>& ranges, const Sizes& sizes);

/// Joins neighbouring boxes that are alike in all other dimensions, to as few boxes as possible.
std::vector<SizeBox> joined(std::vector<SizeBox> boxes);

/// The number of bits from the first 1 to the last 1: few for a round number.
int significant_bits(std::int64_t size);

/// The number in [from, to) with the most factors of two.
std::int64_t roundest(std::int64_t from, std::int64_t to);

}  // namespace jitune::internal
