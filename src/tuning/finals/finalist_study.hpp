// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "support/log.hpp"
#include "tuning/finals/finalist.hpp"
#include "tuning/record/binary_cache.hpp"
#include "tuning/task.hpp"
#include "tuning/tune_hooks.hpp"

namespace jitune::internal {

/// What to measure of finalists. To measure energy, they take turns, so that warmth and clocks
/// affect all alike.
struct StudyPlan {
    bool energy = false;
    bool counters = false;  ///< of the hardware
    std::chrono::milliseconds warm_up{300};
    std::chrono::milliseconds window{2000};  ///< at least
    std::size_t fewest_windows = 3;
    std::size_t most_windows = 6;
    double enough = 0.01;  ///< no more windows once each mean is as sure as this
};

/// Throws Error(unavailable) with the reason if the device's energy cannot be measured.
void refuse_without_energy(Device& device);

struct StudyResult {
    std::vector<FinalistFigures> finalists;  ///< in the order given, without those that failed
    std::string no_counters;  ///< why the counters of one could not be read: later ones have none
    bool stopped = false;     ///< a stop request has cut it short
};

/// Measures finalists that have been checked, whose figures are those of the tuning. Compiles them
/// first, several at the same time, then measures in this process, on the calling thread. Leaves
/// out a finalist that fails here, with a warning. A stop request ends the study: the result has
/// the finalists with two windows. The task's workload must be prepared. Throws Error(unavailable)
/// if the energy counter cannot be read, Error(device) if the device is lost.
StudyResult study_finalists(const Task& task, std::span<const FinalistFigures> finalists,
                            const StudyPlan& plan, const TuneHooks& hooks, BinaryCache& binaries,
                            const Log& log);

}  // namespace jitune::internal
