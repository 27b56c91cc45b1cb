// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace jitune::internal {

/// The summary of a set of samples.
struct Summary {
    double median_ns = 0;
    double noise = 0;  ///< median absolute deviation over the median
};

/// Throws Error(usage) if there is no sample, or one that is not finite and positive.
Summary summarize(std::span<const double> samples_ns);

/// An estimate with its confidence interval.
struct Interval {
    double value = 0;
    double low = 0;
    double high = 0;

    [[nodiscard]] double half_width() const { return (high - low) / 2; }
    /// Half of the width over the value.
    [[nodiscard]] double uncertainty() const { return half_width() / value; }

    bool operator==(const Interval&) const = default;
};

/// The median with its 95 % confidence interval, from order statistics. For fewer than 6 samples,
/// which cannot bound a median at that level, the interval reaches from the least to the greatest.
/// Throws as summarize() does.
Interval median_interval(std::span<const double> samples_ns);

/// The uncertainty of the median: that of median_interval(), but 1 for fewer than 6 samples.
double relative_uncertainty(std::span<const double> samples_ns);

/// The mean with Student's 95 % interval, of values that are independent and roughly normal, such
/// as sums over long windows. Throws Error(usage) for fewer than two values, which have no
/// interval.
Interval mean_interval(std::span<const double> values);

}  // namespace jitune::internal
