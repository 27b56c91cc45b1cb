// SPDX-License-Identifier: Apache-2.0
#include "sweep/winner_dispute.hpp"

#include <algorithm>

namespace jitune::internal {

bool is_disputed(const Winner& one, const Winner& other) {
    const Certainty& a = one.certainty;
    const Certainty& b = other.certainty;
    return one.key == other.key && one.sizes == other.sizes &&
           one.configuration != other.configuration && a.speed_up_low > 0 && b.speed_up_low > 0 &&
           (a.speed_up_high < b.speed_up_low || b.speed_up_high < a.speed_up_low);
}

bool is_disputed(std::span<const Winner> ones, std::span<const Winner> others) {
    return std::any_of(ones.begin(), ones.end(), [&](const Winner& one) {
        return std::any_of(others.begin(), others.end(),
                           [&](const Winner& other) { return is_disputed(one, other); });
    });
}

}  // namespace jitune::internal
