// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace jitune::internal {

/// A mean with its 95 % confidence interval.
struct MeanInterval {
    double mean = 0;
    double low = 0;
    double high = 0;

    /// Half of the interval's width over the mean.
    [[nodiscard]] double uncertainty() const { return (high - low) / 2 / mean; }
    bool operator==(const MeanInterval&) const = default;
};

/// Student's interval of values that are independent and roughly normal, such as sums over long
/// windows. Throws Error(usage) for fewer than two values, which have no interval.
MeanInterval mean_interval(std::span<const double> values);

}  // namespace jitune::internal
