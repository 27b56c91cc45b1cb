// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tuner_db/record.hpp"
#include "tuner_db/tuning_store.hpp"
#include "tuning/recorder.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

/// What earlier tunings of a problem leave to the next one.
struct TuningHistory {
    std::vector<Measurement> known;     ///< TuneOptions::history: the last of each configuration
    std::vector<std::string> suspects;  ///< TuneOptions::suspects
};

/// From all measurements of a key, oldest first: those on the same sizes with the same device,
/// driver and compiler as `now` where the earlier tuning is to be gone on with (`resume`), else
/// those alone that must never run again. What the device refused is tried again, and so is
/// everything where nothing has worked: the reason may have passed. A configuration that was under
/// way when the machine went down is a suspect until it has been measured. The second time, and
/// alone, it is quarantined: known as crashed.
TuningHistory tuning_history(const std::vector<Measurement>& rows, const std::string& sizes,
                             const Provenance& now, bool resume);

/// Sets the incumbent, the history and the suspects of a tuning from the database. What was tuned
/// to the end is tuned anew, with its winner as the incumbent; what was not is gone on with. Throws
/// Error(store).
void recall(TuningStore& store, const KernelTemplate& kernel, const Recorder& recorder,
            TuneOptions& options);

/// The reason of a candidate that was under way with `others` when the machine went down.
std::string machine_down_reason(std::size_t others);

}  // namespace jitune::internal
