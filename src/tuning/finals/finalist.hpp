// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

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

}  // namespace jitune::internal
