// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "backend/device.hpp"
#include "measure/statistics.hpp"
#include "template/kernel_template.hpp"
#include "tuner_db/record.hpp"
#include "tuning/rig.hpp"
#include "tuning/search.hpp"

namespace jitune::internal {

/// A configuration of the last round with its interleaved samples.
struct Finalist {
    const Evaluation* evaluation = nullptr;
    std::vector<double> samples_ns;
    Summary summary;
    double uncertainty = 1;  ///< of the median, see relative_uncertainty()
    std::string conditions;
};

/// Whether a measurement is of the last round: its configuration has one of the first round, too.
bool is_of_finals(const Measurement& measurement);

/// The fastest few of `evaluations`, up to those that noise may have kept from being the best, and
/// the `seeds` but for those that were hopelessly slower.
std::vector<const Evaluation*> choose_finalists(const std::vector<Evaluation>& evaluations,
                                                const std::vector<std::size_t>& seeds);

/// Times those again, one sample of each in turn and in changing order, so that drifting clocks
/// meet all alike, until FinalRule has enough. They have binaries. `observer`, or null, is told
/// before each sample. The first of the result is the winner: the last of the seeds (the incumbent
/// before the default) unless another is clearly faster in the comparison round by round. Finalists
/// that fail here are left out. Empty if nothing was timed. `limit`, unless zero, cuts the rounds
/// short, but not below the fewest that bound a ratio. Throws Error(device) when the device is
/// lost.
std::vector<Finalist> run_finals(Device& device, const KernelTemplate& kernel,
                                 const Problem& problem, Rig& rig,
                                 const std::vector<Evaluation>& evaluations,
                                 const std::vector<std::size_t>& seeds,
                                 std::chrono::milliseconds limit, TuneObserver* observer = nullptr);

}  // namespace jitune::internal
