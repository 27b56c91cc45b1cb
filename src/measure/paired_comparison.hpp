// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace jitune::internal {

/// A ratio of two times with its 99 % confidence interval.
struct Ratio {
    double low = 0;
    double estimate = 1;
    double high = 0;

    /// Half of the interval's width.
    [[nodiscard]] double uncertainty() const { return (high - low) / 2; }
};

/// Fewer rounds cannot bound a ratio at that level.
inline constexpr int kFewestRounds = 8;

/// `numerator` over `denominator`, in ns. Samples of equal index were taken one right after the
/// other, in one round: a drift from round to round cancels. Uses the rounds that both have. The
/// method is Hodges and Lehmann's estimate over the logarithms with the interval of the exact
/// signed-rank test, which outliers move little. With fewer rounds than kFewestRounds the interval
/// reaches from 0 to infinity. Throws Error(usage) if there is no round.
Ratio ratio_of(std::span<const double> numerator, std::span<const double> denominator);

}  // namespace jitune::internal
