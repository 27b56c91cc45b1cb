// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "measure/paired_comparison.hpp"

namespace jitune::internal {

/// Decides when a candidate has been timed enough. Pure: sees samples, never a clock.
struct StoppingRule {
    int min_samples = 6;
    int max_samples = 30;
    double target_uncertainty = 0.005;  ///< of the median, see relative_uncertainty()
    /// A candidate is given up if its fastest sample is slower than the best median by the first
    /// factor, after two samples, or by the second one, after more samples.
    double race_factor = 1.15;
    double long_race_factor = 1.03;

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

    /// At least one finalist; every finalist has samples. Returns the index of the winner.
    [[nodiscard]] std::size_t winner(std::span<const Samples> finalists,
                                     std::optional<std::size_t> standing) const;

    /// Every finalist is clearly slower than the fastest, or the ratio of the two is known to
    /// within `tie`.
    [[nodiscard]] bool enough(std::span<const Samples> finalists) const;
};

}  // namespace jitune::internal
