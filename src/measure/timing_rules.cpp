// SPDX-License-Identifier: Apache-2.0
#include "measure/timing_rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

/// The probability that a 99 % interval misses the ratio on one side.
constexpr double kRatioTail = 0.005;

/// The means of all pairs of values, each value with itself included, in ascending order.
std::vector<double> walsh_averages(const std::vector<double>& values) {
    std::vector<double> averages;
    averages.reserve(values.size() * (values.size() + 1) / 2);
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (std::size_t j = i; j < values.size(); ++j) {
            averages.push_back((values[i] + values[j]) / 2);
        }
    }
    std::sort(averages.begin(), averages.end());
    return averages;
}

/// The number of Walsh averages to leave out at each end: the largest k with P(W <= k) <=
/// kRatioTail. W is the sum of the ranks of the positive ones among `count` differences, and
/// includes each rank with probability 1/2.
std::size_t trimmed_averages(std::size_t count) {
    std::vector<double> chance(count * (count + 1) / 2 + 1);
    chance[0] = 1;
    std::size_t reached = 0;
    for (std::size_t rank = 1; rank <= count; ++rank) {
        reached += rank;
        for (std::size_t sum = reached + 1; sum-- > 0;) {
            chance[sum] = (chance[sum] + (sum >= rank ? chance[sum - rank] : 0)) / 2;
        }
    }
    std::size_t trimmed = 0;
    for (double below = chance[0]; below + chance[trimmed + 1] <= kRatioTail;) {
        below += chance[++trimmed];
    }
    return trimmed;
}

std::size_t fastest(std::span<const FinalRule::Samples> finalists) {
    std::vector<double> times;  // in units of the first finalist's time
    for (const FinalRule::Samples& samples : finalists) {
        times.push_back(ratio_of(samples, finalists.front()).value);
    }
    return static_cast<std::size_t>(std::min_element(times.begin(), times.end()) - times.begin());
}

}  // namespace

Interval ratio_of(std::span<const double> numerator, std::span<const double> denominator) {
    std::vector<double> differences(std::min(numerator.size(), denominator.size()));
    if (differences.empty()) {
        throw Error(ErrorKind::usage, "cannot compare times: no round has samples of both");
    }
    std::transform(numerator.begin(),
                   numerator.begin() + static_cast<std::ptrdiff_t>(differences.size()),
                   denominator.begin(), differences.begin(),
                   [](double above, double below) { return std::log(above / below); });
    const std::vector<double> averages = walsh_averages(differences);
    const std::size_t last = averages.size() - 1;
    Interval ratio;
    ratio.value = std::exp((averages[last / 2] + averages[last - last / 2]) / 2);
    ratio.high = std::numeric_limits<double>::infinity();
    if (std::ssize(differences) >= kFewestRounds) {
        const std::size_t trimmed = trimmed_averages(differences.size());
        ratio.low = std::exp(averages[trimmed]);
        ratio.high = std::exp(averages[last - trimmed]);
    }
    return ratio;
}

bool StoppingRule::enough(std::span<const double> samples_ns, std::optional<double> best_ns) const {
    const int count = static_cast<int>(samples_ns.size());
    if (count >= max_samples) {
        return true;
    }
    if (best_ns && count >= 2) {
        const double factor = count == 2 ? slow_factor : late_slow_factor;
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
        const Interval ratio = ratio_of(other, finalists[first]);
        return ratio.low > 1 || ratio.half_width() <= tie;
    });
}

}  // namespace jitune::internal
