// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace jitune::bench {

/// Median time of one call and how sure it is: half the width of the median's 95 % confidence
/// interval, from order statistics, over the median.
struct Timing {
    double us = 0;
    double noise = 0;
};

/// Of at least 6 samples.
Timing timing(std::vector<double> samples_us);

}  // namespace jitune::bench
