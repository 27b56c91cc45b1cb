// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

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

}  // namespace jitune::internal
