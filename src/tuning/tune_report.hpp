// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tuner_db/winners/record.hpp"
#include "tuning/tune_hooks.hpp"

namespace jitune::internal {

/// The outcome of a tuning.
struct TuneReport {
    Winner winner;  ///< with its own image, compiled alone
    /// One per configuration evaluated here, and one more per finalist.
    std::vector<Measurement> measurements;
    /// SearchPlan::history of the search: what earlier tunings have measured.
    std::vector<Measurement> history;
    std::string incumbent;  ///< SearchPlan::incumbent of the search
    TuneProgress progress;  ///< as at the end
    bool stored = false;    ///< the winner is in the store, where Engine has put it
    bool kept = false;      ///< `winner` is the one stored before, to which the tuned one yields()
};

}  // namespace jitune::internal
