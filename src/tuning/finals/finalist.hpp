// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/device.hpp"
#include "measure/conditions.hpp"
#include "measure/statistics.hpp"
#include "tuner_db/winners/record.hpp"
#include "tuning/search/evaluation.hpp"

namespace jitune::internal {

/// A configuration of the last round, the finals, with its interleaved samples.
struct Finalist {
    const Evaluation* evaluation = nullptr;
    std::vector<double> samples_ns;
    Summary summary;
    double uncertainty = 1;  ///< of the median, see relative_uncertainty()
    Conditions conditions;
};

/// The step of a tuning that took a measurement. One of the finals has another of the search.
Conditions::Phase phase_of(const Measurement& measurement);

inline bool is_of_finals(const Measurement& measurement) {
    return phase_of(measurement) == Conditions::Phase::finals;
}
inline bool is_of_search(const Measurement& measurement) {
    return phase_of(measurement) == Conditions::Phase::search;
}

/// The fastest few of `evaluations`, up to those that noise may have kept from being the best, and
/// the `seeds` unless they were hopelessly slower.
std::vector<const Evaluation*> choose_finalists(const std::vector<Evaluation>& evaluations,
                                                const std::vector<std::size_t>& seeds);

/// What the launches of a finalist use beside their time in the finals.
struct FinalistFigures {
    std::string configuration;
    /// Of one launch: back to back in each window of energy_j, else the samples of the tuning.
    std::vector<double> launch_ns;
    std::vector<double> energy_j;        ///< of one launch, in each window; empty: not measured
    std::vector<CounterValue> counters;  ///< of one launch; empty: not read
    Conditions conditions;               ///< of launch_ns

    [[nodiscard]] MeanInterval energy() const { return mean_interval(energy_j); }
    /// Joules times seconds of one launch.
    [[nodiscard]] MeanInterval energy_delay() const;
    /// Joules over seconds, in all windows.
    [[nodiscard]] double power_w() const;
    /// Measurement::figures: {"energy_j":0.0125,"energy_low_j":…,"energy_high_j":…,"power_w":350.5}
    /// and each counter; empty where nothing was measured.
    [[nodiscard]] std::string text() const;
};

}  // namespace jitune::internal
