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

/// How much better the winner is than the template's default.
struct Gain {
    double default_ns = 0;  ///< 0: the default failed
    Certainty certainty;
};

/// The first of the finalists beside the default, which has the index `standard`, round by round; a
/// default_ns of 0 if the default is no finalist.
Gain gain_in_rounds(const std::vector<Finalist>& finalists, std::size_t standard);

/// The step of a tuning that took a measurement. A finalist has one measurement of the search and
/// another one of the finals.
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
    /// Times of one launch: launched back to back, one for each window of energy_j; without
    /// energies, the samples of the tuning.
    std::vector<double> launch_ns;
    std::vector<double> energy_j;        ///< of one launch, in each window; empty: not measured
    std::vector<CounterValue> counters;  ///< of one launch; empty: not read
    Conditions conditions;               ///< of launch_ns
    double time_ns = 0;                  ///< the median of the finals

    [[nodiscard]] Interval energy() const { return mean_interval(energy_j); }
    /// The energy-delay product of one launch: joules times seconds.
    [[nodiscard]] Interval energy_delay() const;
    /// The power over all windows: joules over seconds.
    [[nodiscard]] double power_w() const;
    /// Measurement::figures: {"energy_j":0.0125,"energy_low_j":…,"energy_high_j":…,"power_w":350.5}
    /// and each counter; empty if nothing was measured.
    [[nodiscard]] std::string text() const;
};

}  // namespace jitune::internal
