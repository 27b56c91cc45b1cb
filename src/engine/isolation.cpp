#include "engine/isolation.hpp"

#include <utility>

#include "engine/supervisor.hpp"
#include "jitune/error.hpp"
#include "support/process.hpp"

namespace jitune {

Isolation::Isolation(const Options& options, const Log& log) : options_(options), log_(log) {}

Isolation::~Isolation() = default;

bool Isolation::start(const Kernel& kernel) {
    const WatchLimits limits{.candidate = options_.hang_limit, .compile = options_.compile_limit};
    if (kernel.spec.empty() || options_.worker == "none") {
        return false;
    }
    if (!options_.worker.empty()) {
        if (supervisor_ == nullptr) {
            supervisor_ = std::make_unique<Supervisor>(options_.worker, limits, log_);
        }
        return true;
    }
    if (!kernel.foreign || refused_) {
        return false;
    }
    try {
        if (supervisor_ == nullptr) {
            const auto program = find_program("jitune");
            if (!program) {
                throw Error(ErrorKind::unavailable, "there is no jitune on $PATH");
            }
            supervisor_ = std::make_unique<Supervisor>(*program, limits, log_);
        }
        supervisor_->start();
        return true;
    } catch (const Error& error) {
        log_.info("{}: custom operations are tuned in this process, which they may take down",
                  error.what());
        supervisor_.reset();
        refused_ = true;
        return false;
    }
}

std::optional<TuneReport> Isolation::tune(const Backend& backend, const Kernel& kernel,
                                          const Problem& problem, const TuneOptions& options,
                                          const Recorder& recorder) {
    const std::lock_guard lock(mutex_);
    if (!start(kernel)) {
        return std::nullopt;
    }
    WorkerRequest request{kernel.spec,
                          kernel.kernel_template.hash(),
                          backend.info().id,
                          problem,
                          options.incumbent ? options.incumbent->text() : "",
                          options};
    request.options.progress = {};
    return supervisor_->tune(std::move(request), options, recorder);
}

}  // namespace jitune
