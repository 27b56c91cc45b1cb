// SPDX-License-Identifier: Apache-2.0
#include "measure/final_rule.hpp"

#include <algorithm>

namespace jitune::internal {

namespace {

std::size_t fastest(std::span<const FinalRule::Lane> lanes) {
    std::vector<double> times;  // in units of the first lane's
    for (const FinalRule::Lane& lane : lanes) {
        times.push_back(ratio_of(lane, lanes.front()).estimate);
    }
    return static_cast<std::size_t>(std::min_element(times.begin(), times.end()) - times.begin());
}

}  // namespace

std::size_t FinalRule::winner(std::span<const Lane> lanes,
                              std::optional<std::size_t> standing) const {
    const std::size_t first = fastest(lanes);
    const bool beaten = !standing || ratio_of(lanes[*standing], lanes[first]).low > 1;
    return beaten ? first : *standing;
}

bool FinalRule::enough(std::span<const Lane> lanes) const {
    const auto rounds = std::ssize(lanes.front());
    if (rounds < min_rounds || rounds >= max_rounds) {
        return rounds >= max_rounds;
    }
    const std::size_t first = fastest(lanes);
    return std::all_of(lanes.begin(), lanes.end(), [&](const Lane& lane) {
        const Ratio ratio = ratio_of(lane, lanes[first]);
        return ratio.low > 1 || ratio.uncertainty() <= tie;
    });
}

}  // namespace jitune::internal
