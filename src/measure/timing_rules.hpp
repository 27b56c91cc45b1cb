// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "measure/statistics.hpp"

namespace jitune::internal {

/// Fewer rounds cannot bound a ratio with 99 % confidence.
inline constexpr int kFewestRounds = 8;

/// `numerator` over `denominator`, in ns, with its 99 % confidence interval. Samples of equal index
/// were taken one right after the other, in one round: a drift from round to round cancels. Uses
/// the rounds that both have. The method is Hodges and Lehmann's estimate over the logarithms with
/// the interval of the exact signed-rank test, which outliers move little. With fewer rounds than
/// kFewestRounds the interval reaches from 0 to infinity. Throws Error(usage) if there is no round.
Interval ratio_of(std::span<const double> numerator, std::span<const double> denominator);

/// Decides when a candidate has been timed enough. Pure: sees samples, never a clock.
struct StoppingRule {
    int min_samples = 6;
    int max_samples = 30;
    double target_uncertainty = 0.005;  ///< of the median, see relative_uncertainty()
    /// A candidate is given up if its fastest sample is slower than the best median by the first
    /// factor, after two samples, or by the second one, after more samples.
    double slow_factor = 1.15;
    double late_slow_factor = 1.03;

    /// `best_ns`: the best median so far, if any.
    [[nodiscard]] bool enough(std::span<const double> samples_ns,
                              std::optional<double> best_ns) const;
};

/// Decides which of several finalists wins, and when they have been timed enough to tell. Pure:
/// sees samples, never a clock. Each finalist is given as its samples in ns; samples of equal index
/// are of the same round. `standing` is the finalist that wins unless another is clearly faster.
struct FinalRule {
    using Samples = std::vector<double>;

    int min_rounds = kFewestRounds;
    int max_rounds = 60;
    double tie = 0.004;  ///< a difference too small to be worth more rounds

    /// Returns the index of the winner. There is at least one finalist, and every finalist has
    /// samples.
    [[nodiscard]] std::size_t winner(std::span<const Samples> finalists,
                                     std::optional<std::size_t> standing) const;

    /// True if every finalist is clearly slower than the fastest, or its ratio to the fastest is
    /// known to within `tie`.
    [[nodiscard]] bool enough(std::span<const Samples> finalists) const;
};

}  // namespace jitune::internal
