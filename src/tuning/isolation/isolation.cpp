// SPDX-License-Identifier: Apache-2.0
#include "tuning/isolation/isolation.hpp"

#include "jitune/error.hpp"
#include "support/process.hpp"
#include "tuning/isolation/supervisor.hpp"
#include "tuning/record_maker.hpp"

namespace jitune::internal {

Isolation::Isolation(const Options& options, const Log& log) : options_(options), log_(log) {}

Isolation::~Isolation() = default;

Isolation::Station& Isolation::station(const std::string& device) {
    const std::lock_guard lock(mutex_);
    return stations_[device];
}

bool Isolation::prepare(Station& station, const Kernel& kernel) {
    const WatchLimits limits{.candidate = options_.hang_limit, .compile = options_.compile_limit};
    if (kernel.spec.empty() || options_.worker == "none") {
        return false;
    }
    if (!options_.worker.empty()) {
        if (station.supervisor == nullptr) {
            station.supervisor =
                std::make_unique<Supervisor>(options_.worker, limits, log_, compiles_);
        }
        return true;
    }
    if (!kernel.foreign || no_program_) {
        return false;
    }
    try {
        if (station.supervisor == nullptr) {
            const auto program = find_program("jitune");
            if (!program) {
                throw Error(ErrorKind::unavailable, "no jitune on $PATH");
            }
            station.supervisor = std::make_unique<Supervisor>(*program, limits, log_, compiles_);
        }
        station.supervisor->start();
        return true;
    } catch (const Error& error) {
        log_.info("{}: user kernels are tuned in this process; a crashing candidate will end it",
                  error.what());
        station.supervisor.reset();
        no_program_ = true;
        return false;
    }
}

std::optional<TuneReport> Isolation::tune(const RecordMaker& record_maker, const SearchPlan& plan,
                                          const TuneHooks& hooks) {
    const Task& task = record_maker.task();
    Station& here = station(task.info().id);
    const std::lock_guard lock(here.mutex);
    if (!prepare(here, task.kernel)) {
        return std::nullopt;
    }
    return here.supervisor->tune(
        {task.kernel.spec, task.kernel_template().hash(), task.info().id, task.problem, plan},
        hooks, record_maker);
}

}  // namespace jitune::internal
