// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "range/cost_table.hpp"

namespace jitune::internal {

/// A value at sizes of no probe, and how far the nearest probe is that it was made from.
struct CostEstimate {
    double value = 0;
    double octaves = 0;  ///< 0: not estimated but the probe's own
};

/// Estimates a value that each probe has, such as a configuration's time. Takes the probes around
/// `sizes`: those with no other between them and `sizes`. The result is the mean of the values'
/// logarithms, weighted by one over the distance in octaves (Shepard, 1968); in one dimension it
/// lies on the line between both neighbours. Beyond the last probe the value is that probe's.
/// `value_of` gives 0 where a probe has no value. Nothing where none has one.
std::optional<CostEstimate> estimate(
    const CostTable& table, const Sizes& sizes,
    const std::function<double(const CostTable::Probe&)>& value_of);

/// The time in ns of a configuration at `sizes`.
std::optional<CostEstimate> estimated_time(const CostTable& table, const std::string& configuration,
                                           const Sizes& sizes);

/// The time of a configuration over that of another at `sizes`, from the probes that have both.
std::optional<CostEstimate> estimated_ratio(const CostTable& table,
                                            const std::string& configuration,
                                            const std::string& other, const Sizes& sizes);

}  // namespace jitune::internal
