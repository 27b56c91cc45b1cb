// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "measure/paired_comparison.hpp"

namespace jitune::internal {

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
