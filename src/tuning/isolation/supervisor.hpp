// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "support/log.hpp"
#include "tuning/isolation/supervised_tuning.hpp"

namespace jitune::internal {

class WorkerProcess;

/// Tunes in a worker process and survives it: a candidate that takes the worker down or does not
/// come back gets a verdict, and a new worker continues with all that is known. One worker serves
/// problem after problem. Used by one thread.
class Supervisor {
public:
    /// `program` is the jitune command, whose workers run at this nice value. The instances that
    /// its workers compile are added to `compiles`, which must outlive it.
    Supervisor(std::filesystem::path program, int nice, const WatchLimits& limits, const Log& log,
               std::atomic<std::int64_t>& compiles);
    ~Supervisor();

    /// Starts a worker if none is ready. Throws Error(unavailable) if that fails, and if the tuning
    /// is stopped before a worker is ready: at once if the tuning is given up, else after a while.
    void start(const TuneHooks& hooks);

    /// Tunes as tune() does. Calls all hooks on the calling thread; of the observer, only
    /// announce() and measured(). When a worker dies, a candidate that was under way by itself gets
    /// the verdict; if several were, each of them runs alone in the next worker. Throws what tune()
    /// throws, Error(unavailable) if no worker can be started, and what
    /// SupervisedTuning::follow() throws.
    TuneReport tune(WorkerRequest request, const TuneHooks& hooks, const RecordMaker& record_maker);

private:
    std::filesystem::path program_;
    int nice_;
    WatchLimits limits_;
    Log log_;
    std::atomic<std::int64_t>& compiles_;
    std::unique_ptr<WorkerProcess> worker_;
};

}  // namespace jitune::internal
