// SPDX-License-Identifier: Apache-2.0
#include "measure/stopping_rule.hpp"

#include <algorithm>

#include "measure/statistics.hpp"

namespace jitune::internal {

bool StoppingRule::enough(std::span<const double> samples_ns, std::optional<double> best_ns) const {
    const int count = static_cast<int>(samples_ns.size());
    if (count >= max_samples) {
        return true;
    }
    if (best_ns && count >= 2) {
        const double factor = count == 2 ? race_factor : long_race_factor;
        if (*std::min_element(samples_ns.begin(), samples_ns.end()) > *best_ns * factor) {
            return true;
        }
    }
    return count >= min_samples && relative_uncertainty(samples_ns) <= target_uncertainty;
}

}  // namespace jitune::internal
