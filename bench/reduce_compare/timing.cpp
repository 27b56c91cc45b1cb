// SPDX-License-Identifier: Apache-2.0
#include "reduce_compare/timing.hpp"

#include <algorithm>
#include <cmath>

namespace jitune::bench {

Timing timing(std::vector<double> samples_us) {
    std::sort(samples_us.begin(), samples_us.end());
    const std::size_t count = samples_us.size();
    const double median = (samples_us[(count - 1) / 2] + samples_us[count / 2]) / 2;
    // The normal approximation of the sign test: 1.96 standard deviations of count / 4.
    const double n = static_cast<double>(count);
    const auto trimmed = static_cast<std::size_t>(std::max(0.0, n / 2 - 0.98 * std::sqrt(n)));
    const double width = samples_us[count - 1 - trimmed] - samples_us[trimmed];
    return {median, width / 2 / median};
}

}  // namespace jitune::bench
