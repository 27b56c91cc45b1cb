// SPDX-License-Identifier: Apache-2.0
#include "measure/timing_rules.hpp"

#include <algorithm>

#include "measure/statistics.hpp"

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
