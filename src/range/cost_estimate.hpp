// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "range/cost_table.hpp"

namespace jitune::internal {

/// An estimated value, and the distance to the nearest probe that it was made from.
struct CostEstimate {
    double value = 0;
    double octaves = 0;  ///< 0: the probe's own value
};

/// Estimates a value that each probe has, such as a configuration's time. Takes the nearest probes
/// around `sizes`: those with no other probe between them and `sizes`. Fits a plane to the
/// logarithms of their values over the logarithms of the sizes, weighted towards near probes
/// (Cleveland and Devlin, "Locally weighted regression", 1988); in one dimension that is the line
/// between both neighbours. The result lies between the least and the greatest of these values.
/// `value_of` returns 0 for a probe without a value. Nothing if no probe has a value.
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

/// The loss of a configuration at `sizes`, from the probes where it worked.
std::optional<CostEstimate> estimated_loss(const CostTable& table, std::size_t configuration,
                                           const Sizes& sizes);

}  // namespace jitune::internal
