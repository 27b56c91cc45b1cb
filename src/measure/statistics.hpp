// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace jitune::internal {

/// What is kept of a set of samples.
struct Summary {
    double median_ns = 0;
    double min_ns = 0;
    double noise = 0;  ///< median absolute deviation over the median
    int count = 0;
};

/// Throws Error(usage) for no samples and for one that is not finite and positive.
Summary summarize(std::span<const double> samples_ns);

/// How sure the median is: half the width of its 95 % confidence interval over the median, from
/// order statistics. 1 for fewer than 6 samples, which cannot bound a median at that level.
double relative_uncertainty(std::span<const double> samples_ns);

}  // namespace jitune::internal
