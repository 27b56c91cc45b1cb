// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "measure/paired_comparison.hpp"

namespace jitune::internal {

/// Which of several finalists wins, and when they have been timed enough to tell. Pure: sees
/// samples, never a clock. A lane holds the samples of one finalist in ns; samples of equal index
/// are of the same round. `standing` is the lane that wins unless another is clearly faster.
struct FinalRule {
    using Lane = std::vector<double>;

    int min_rounds = kFewestRounds;
    int max_rounds = 60;
    double tie = 0.004;  ///< a difference that is not worth more rounds

    /// At least one lane; every lane has samples.
    [[nodiscard]] std::size_t winner(std::span<const Lane> lanes,
                                     std::optional<std::size_t> standing) const;

    /// Every lane is clearly slower than the fastest, or the ratio of the two is known to within
    /// `tie`.
    [[nodiscard]] bool enough(std::span<const Lane> lanes) const;
};

}  // namespace jitune::internal
