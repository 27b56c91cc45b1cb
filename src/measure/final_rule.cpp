// SPDX-License-Identifier: Apache-2.0
#include "measure/final_rule.hpp"

#include <algorithm>

namespace jitune::internal {

namespace {

std::size_t fastest(std::span<const FinalRule::Samples> finalists) {
    std::vector<double> times;  // in units of the first one's
    for (const FinalRule::Samples& samples : finalists) {
        times.push_back(ratio_of(samples, finalists.front()).estimate);
    }
    return static_cast<std::size_t>(std::min_element(times.begin(), times.end()) - times.begin());
}

}  // namespace

std::size_t FinalRule::winner(std::span<const Samples> finalists,
                              std::optional<std::size_t> standing) const {
    const std::size_t first = fastest(finalists);
    const bool beaten = !standing || ratio_of(finalists[*standing], finalists[first]).low > 1;
    return beaten ? first : *standing;
}

bool FinalRule::enough(std::span<const Samples> finalists) const {
    const auto rounds = std::ssize(finalists.front());
    if (rounds < min_rounds || rounds >= max_rounds) {
        return rounds >= max_rounds;
    }
    const std::size_t first = fastest(finalists);
    return std::all_of(finalists.begin(), finalists.end(), [&](const Samples& other) {
        const Ratio ratio = ratio_of(other, finalists[first]);
        return ratio.low > 1 || ratio.uncertainty() <= tie;
    });
}

}  // namespace jitune::internal
