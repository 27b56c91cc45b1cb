// SPDX-License-Identifier: Apache-2.0
#include "tuning/isolation/isolation.hpp"

#include <utility>

#include "jitune/error.hpp"
#include "support/process.hpp"
#include "tuning/isolation/supervisor.hpp"

namespace jitune::internal {

Isolation::Isolation(const Options& options, const Log& log) : options_(options), log_(log) {}

Isolation::~Isolation() = default;

Isolation::Place& Isolation::place(const std::string& device) {
    const std::lock_guard lock(mutex_);
    return places_[device];
}

bool Isolation::start(Place& place, const Kernel& kernel) {
    const WatchLimits limits{.candidate = options_.hang_limit, .compile = options_.compile_limit};
    if (kernel.spec.empty() || options_.worker == "none") {
        return false;
    }
    if (!options_.worker.empty()) {
        if (place.supervisor == nullptr) {
            place.supervisor =
                std::make_unique<Supervisor>(options_.worker, limits, log_, compiles_);
        }
        return true;
    }
    if (!kernel.foreign || refused_) {
        return false;
    }
    try {
        if (place.supervisor == nullptr) {
            const auto program = find_program("jitune");
            if (!program) {
                throw Error(ErrorKind::unavailable, "there is no jitune on $PATH");
            }
            place.supervisor = std::make_unique<Supervisor>(*program, limits, log_, compiles_);
        }
        place.supervisor->start();
        return true;
    } catch (const Error& error) {
        log_.info("{}: kernels of yours are tuned in this process, which they may take down",
                  error.what());
        place.supervisor.reset();
        refused_ = true;
        return false;
    }
}

std::optional<TuneReport> Isolation::tune(const Device& device, const Kernel& kernel,
                                          const Problem& problem, const TuneOptions& options,
                                          const Recorder& recorder) {
    Place& here = place(device.info().id);
    const std::lock_guard lock(here.mutex);
    if (!start(here, kernel)) {
        return std::nullopt;
    }
    WorkerRequest request{kernel.spec,
                          kernel.kernel_template.hash(),
                          device.info().id,
                          problem,
                          options.incumbent ? options.incumbent->text() : "",
                          options};
    request.options.progress = {};
    return here.supervisor->tune(std::move(request), options, recorder);
}

}  // namespace jitune::internal
