// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/device.hpp"
#include "measure/conditions.hpp"
#include "measure/mean_interval.hpp"

namespace jitune::internal {

/// What the launches of a finalist use beside their time in the finals.
struct FinalistFigures {
    std::string configuration;
    /// Times of one launch: launched back to back, one for each window of energy_j; without
    /// energies, the samples of the tuning.
    std::vector<double> launch_ns;
    std::vector<double> energy_j;        ///< of one launch, in each window; empty: not measured
    std::vector<CounterValue> counters;  ///< of one launch; empty: not read
    Conditions conditions;               ///< of launch_ns

    [[nodiscard]] MeanInterval energy() const { return mean_interval(energy_j); }
    /// The energy-delay product of one launch: joules times seconds.
    [[nodiscard]] MeanInterval energy_delay() const;
    /// The power over all windows: joules over seconds.
    [[nodiscard]] double power_w() const;
    /// Measurement::figures: {"energy_j":0.0125,"energy_low_j":…,"energy_high_j":…,"power_w":350.5}
    /// and each counter; empty if nothing was measured.
    [[nodiscard]] std::string text() const;
};

}  // namespace jitune::internal
