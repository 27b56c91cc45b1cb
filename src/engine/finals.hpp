#pragma once

#include <chrono>
#include <vector>

#include "backend/backend.hpp"
#include "engine/kernel_template.hpp"
#include "engine/rig.hpp"
#include "engine/search.hpp"
#include "measure/statistics.hpp"

namespace jitune {

/// A configuration of the last round with its interleaved samples.
struct Finalist {
    const Evaluation* evaluation = nullptr;
    std::vector<double> samples_ns;
    Summary summary;
    double uncertainty = 1;  ///< of the median, see relative_uncertainty()
};

/// The fastest few of `evaluations`, and the `seeds` but for those that were hopelessly slower than
/// the best.
std::vector<const Evaluation*> choose_finalists(const std::vector<Evaluation>& evaluations,
                                                const std::vector<std::size_t>& seeds);

/// Times those again, one sample of each in turn, so
/// that drifting clocks meet all alike. They have binaries. `observer`, or null, is told before
/// each sample. The first of the result is the winner: the last of the seeds (the incumbent before
/// the default) unless another is faster by more than both medians' uncertainty. Finalists that
/// fail in this round are left out. Empty if nothing was timed. `limit`, unless zero, cuts the
/// round short, but not below the samples that bound a median. Throws Error(device) when the device
/// is lost.
std::vector<Finalist> run_finals(Backend& backend, const KernelTemplate& kernel,
                                 const Problem& problem, Rig& rig,
                                 const std::vector<Evaluation>& evaluations,
                                 const std::vector<std::size_t>& seeds,
                                 std::chrono::milliseconds limit, TuneObserver* observer = nullptr);

}  // namespace jitune
