// SPDX-License-Identifier: Apache-2.0
#include "tuning/isolation/isolation.hpp"

#include <fmt/format.h>

#include "tuning/isolation/supervisor.hpp"
#include "tuning/isolation/worker_command.hpp"
#include "tuning/record/record_maker.hpp"

namespace jitune::internal {

Isolation::Isolation(const Options& options, const Log& log) : options_(options), log_(log) {}

Isolation::~Isolation() = default;

bool Isolation::isolates(const Kernel& kernel, bool low_priority) const {
    return !kernel.spec.empty() && options_.worker != kNoWorker &&
           (kernel.foreign || low_priority || !options_.worker.empty());
}

void Isolation::require_command() const {
    if (options_.worker != kNoWorker) {
        find_worker(options_.worker, usual_workers());
    }
}

Supervisor& Isolation::start(Station& station, const Task& task, const TuneHooks& hooks) {
    try {
        if (station.supervisor == nullptr) {
            const WatchLimits limits{.candidate = options_.hang_limit,
                                     .compile = options_.compile_limit};
            station.supervisor = std::make_unique<Supervisor>(
                find_worker(options_.worker, usual_workers()),
                hooks.low_priority ? kBackgroundNice : 0, limits, log_, compiles_);
        }
        station.supervisor->start(hooks);
        return *station.supervisor;
    } catch (const Error& error) {
        if (!task.kernel.foreign) {
            throw;
        }
        throw NoWorker(error.kind(),
                       fmt::format("cannot tune {} without a worker, because its candidates may "
                                   "crash: {}",
                                   task.name(), error.what()),
                       error.native_code());
    }
}

std::optional<TuneReport> Isolation::tune(const RecordMaker& record_maker, const SearchPlan& plan,
                                          const TuneHooks& hooks) {
    return in_worker(record_maker, plan, hooks, {});
}

std::optional<TuneReport> Isolation::compare(const RecordMaker& record_maker,
                                             const std::vector<std::string>& compared,
                                             const SearchPlan& plan, const TuneHooks& hooks) {
    return in_worker(record_maker, plan, hooks, compared);
}

std::optional<TuneReport> Isolation::in_worker(const RecordMaker& record_maker,
                                               const SearchPlan& plan, const TuneHooks& hooks,
                                               const std::vector<std::string>& compared) {
    const Task& task = record_maker.task();
    if (!isolates(task.kernel, hooks.low_priority)) {
        return std::nullopt;
    }
    Station* here = nullptr;
    {
        const std::lock_guard lock(mutex_);
        here = &stations_[{task.info().id, hooks.low_priority}];
    }
    const std::lock_guard lock(here->mutex);
    return start(*here, task, hooks)
        .tune({task.kernel.spec, task.kernel_template().hash(), task.info().id, task.problem, plan,
               compared},
              hooks, record_maker);
}

}  // namespace jitune::internal
