// SPDX-License-Identifier: Apache-2.0
#include "tuning/isolation/supervisor.hpp"

#include <utility>

#include "tuning/isolation/worker_process.hpp"

namespace jitune::internal {

namespace {

/// Enough for a worker's start as a rule, so that a search that was stopped early has results.
constexpr std::chrono::milliseconds kStoppedStartTime{2'000};

}  // namespace

Supervisor::Supervisor(std::filesystem::path program, int nice, const WatchLimits& limits,
                       const Log& log, std::atomic<std::int64_t>& compiles)
    : program_(std::move(program)), nice_(nice), limits_(limits), log_(log), compiles_(compiles) {}

Supervisor::~Supervisor() = default;

void Supervisor::start(const TuneHooks& hooks) {
    constexpr int kMostStarts = 3;
    for (int starts = 1; worker_ == nullptr; ++starts) {
        try {
            worker_ = std::make_unique<WorkerProcess>(
                program_, nice_, *hooks.stop,
                hooks.given_up.stop_possible() ? std::chrono::milliseconds(0) : kStoppedStartTime,
                *hooks.time);
        } catch (const WorkerEnded&) {
            if (starts == kMostStarts) {
                throw;
            }
        }
    }
}

TuneReport Supervisor::tune(WorkerRequest request, const TuneHooks& hooks,
                            const RecordMaker& record_maker) {
    SupervisedTuning tuning(std::move(request), hooks, record_maker, limits_, log_, compiles_);
    while (true) {
        start(hooks);
        try {
            if (auto report = tuning.follow(*worker_)) {
                return std::move(*report);
            }
        } catch (...) {
            worker_.reset();
            throw;
        }
        worker_.reset();
    }
}

}  // namespace jitune::internal
