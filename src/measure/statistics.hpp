// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace jitune::internal {

/// The summary of a set of samples.
struct Summary {
    double median_ns = 0;
    double min_ns = 0;
    double noise = 0;  ///< median absolute deviation over the median
    int count = 0;
};

/// Throws Error(usage) if there is no sample, or one that is not finite and positive.
Summary summarize(std::span<const double> samples_ns);

/// The 95 % confidence interval of the median, from order statistics. For fewer than 6 samples,
/// which cannot bound a median at that level, the least and the greatest one.
struct MedianBounds {
    double low_ns = 0;
    double high_ns = 0;
};

/// Throws as summarize() does.
MedianBounds median_bounds(std::span<const double> samples_ns);

/// The uncertainty of the median: half the width of median_bounds() over the median. It is 1 for
/// fewer than 6 samples.
double relative_uncertainty(std::span<const double> samples_ns);

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
