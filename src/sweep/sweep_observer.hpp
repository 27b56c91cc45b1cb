// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sweep/sweep_result.hpp"

namespace jitune::internal {

/// How far the tuning of one problem is.
struct RunState {
    std::string device;  ///< "cuda:0"
    std::string name;    ///< "float32 sum 2^20"
    TuneProgress tune;
    double elapsed_s = 0;
    std::size_t known = 0;  ///< candidates that earlier tunings had tried

    /// Updates the state with what a tuning tells after a verdict, or while it waits for a
    /// candidate.
    void go_on(const TuneProgress& progress, double after_s) {
        if (tune.evaluated == 0 && progress.evaluated > 0) {
            known = progress.evaluated - 1;  // all but the first of this run
        }
        tune = progress;
        elapsed_s = after_s;
    }
};

/// How far a sweep is.
struct SweepState {
    std::size_t done = 0;
    std::size_t kept = 0;  ///< those of them that were skipped because their winners are complete
    std::size_t problems = 0;
    std::vector<RunState> runs;  ///< one for each device that works
    double spent_s = 0;          ///< on the problems that are done, of all devices together
    double budget_s = 0;         ///< per problem; zero: no limit
};

/// Is told what a sweep does, one call at a time, on any thread.
class SweepObserver {
public:
    virtual ~SweepObserver() = default;
    /// A problem is done.
    virtual void done(const SweepRow& row) = 0;
    /// A candidate was tried.
    virtual void progress(const SweepState& state) = 0;
};

}  // namespace jitune::internal
