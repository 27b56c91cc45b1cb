// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "support/log.hpp"
#include "tuning/isolation/worker_request.hpp"
#include "tuning/recorder.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

class WorkerProcess;

/// How long a worker may be about one thing.
struct WatchLimits {
    std::chrono::milliseconds candidate{60'000};  ///< checking a candidate, or timing it
    std::chrono::milliseconds compile{120'000};   ///< one call of the compiler
    std::chrono::milliseconds idle{600'000};      ///< anything else, such as making the data
};

/// Tunes in a worker process and survives it: a candidate that takes the worker down or does not
/// come back gets a verdict, the worker is replaced and goes on with what is known. One worker
/// serves problem after problem. Used by one thread.
class Supervisor {
public:
    /// `program` is the jitune command. What its workers compile is added to `compiles`, which
    /// must outlive it.
    Supervisor(std::filesystem::path program, const WatchLimits& limits, const Log& log,
               std::atomic<std::int64_t>& compiles);
    ~Supervisor();

    /// Starts a worker where none is ready. Throws Error(unavailable).
    void start();

    /// As tune(), for `request`. Of `hooks` the stop flag, progress and the observer are used, on
    /// the calling thread; the observer's announce() and measured() only. Candidates that were
    /// under way when a worker died alone with nothing else are charged; of several, each runs
    /// alone in the next worker. Throws what tune() throws, Error(unavailable) where no worker can
    /// be started, and Error(device) where three in a row have come to nothing.
    TuneReport tune(WorkerRequest request, const TuneOptions& hooks, const Recorder& recorder);

private:
    std::filesystem::path program_;
    WatchLimits limits_;
    Log log_;
    std::atomic<std::int64_t>& compiles_;
    std::unique_ptr<WorkerProcess> worker_;
};

}  // namespace jitune::internal
