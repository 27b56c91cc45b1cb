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

/// The uncertainty of the median: half the width of its 95 % confidence interval over the median,
/// from order statistics. It is 1 for fewer than 6 samples, which cannot bound a median at that
/// level.
double relative_uncertainty(std::span<const double> samples_ns);

}  // namespace jitune::internal
