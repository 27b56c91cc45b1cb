// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "jitune/options.hpp"
#include "template/kernel.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

class Recorder;
class Supervisor;

/// Which tunings of a session run in a worker process: Options::worker says. Each device has a
/// worker of its own, which tunes one problem at a time; what becomes of one is nothing to the
/// others. Thread-safe.
class Isolation {
public:
    /// Both must outlive it.
    Isolation(const Options& options, const Log& log);
    ~Isolation();

    /// Tunes in a worker, as Supervisor::tune() does; nothing where `kernel` is to be tuned in this
    /// process.
    std::optional<TuneReport> tune(const Device& device, const Kernel& kernel,
                                   const Problem& problem, const TuneOptions& options,
                                   const Recorder& recorder);

    /// Kernel instances that workers have given to a compiler. Of a tuning that failed the last
    /// ones may be missing.
    [[nodiscard]] std::int64_t compiles() const { return compiles_; }

private:
    struct Place {
        std::mutex mutex;  // held while its worker tunes
        std::unique_ptr<Supervisor> supervisor;
    };

    Place& place(const std::string& device);
    bool start(Place& place, const Kernel& kernel);

    const Options& options_;
    const Log& log_;
    std::atomic<std::int64_t> compiles_{0};
    std::mutex mutex_;
    std::map<std::string, Place> places_;  ///< by device id
    std::atomic<bool> refused_{false};     ///< there is no worker on $PATH
};

}  // namespace jitune::internal
