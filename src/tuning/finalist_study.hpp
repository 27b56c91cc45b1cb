// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "support/log.hpp"
#include "tuning/binary_cache.hpp"
#include "tuning/finalist_figures.hpp"
#include "tuning/task.hpp"
#include "tuning/tune_hooks.hpp"

namespace jitune::internal {

/// A finalist as the finals have left it.
struct StudiedFinalist {
    std::string configuration;
    double median_ns = 0;
};

/// How energy is measured. Finalists take turns, so that warmth and clocks affect all alike.
struct StudyPlan {
    std::chrono::milliseconds warm_up{300};
    std::chrono::milliseconds window{2000};  ///< at least
    std::size_t fewest_windows = 3;
    std::size_t most_windows = 6;
    double enough = 0.01;  ///< no more windows where each mean is this sure
};

/// Throws Error(unavailable) with the reason where the device's energy cannot be measured.
void refuse_without_energy(Device& device);

/// Measures the energy of finalists, which have been checked, in this process and on the calling
/// thread. One that fails here is left out, with a warning. A stop request ends it: those that have
/// two windows are in the result. For a task whose workload is prepared. Throws Error(unavailable)
/// where the counter cannot be read, Error(device) where the device is lost.
std::vector<FinalistFigures> study_energy(const Task& task,
                                          std::span<const StudiedFinalist> finalists,
                                          const StudyPlan& plan, const TuneHooks& hooks,
                                          BinaryCache& binaries, const Log& log);

}  // namespace jitune::internal
