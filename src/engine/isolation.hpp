#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "engine/kernel.hpp"
#include "engine/tuner.hpp"
#include "jitune/options.hpp"

namespace jitune {

class Recorder;
class Supervisor;

/// Which tunings of a session run in a worker process: Options::worker says. Thread-safe; workers
/// tune one problem at a time.
class Isolation {
public:
    /// Both must outlive it.
    Isolation(const Options& options, const Log& log);
    ~Isolation();

    /// Tunes in a worker, as Supervisor::tune() does; nothing where `kernel` is to be tuned in this
    /// process.
    std::optional<TuneReport> tune(const Backend& backend, const Kernel& kernel,
                                   const Problem& problem, const TuneOptions& options,
                                   const Recorder& recorder);

private:
    bool start(const Kernel& kernel);

    const Options& options_;
    const Log& log_;
    std::mutex mutex_;
    std::unique_ptr<Supervisor> supervisor_;
    bool refused_ = false;  ///< there is no worker on $PATH
};

}  // namespace jitune
