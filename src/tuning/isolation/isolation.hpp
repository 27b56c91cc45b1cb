// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "jitune/error.hpp"
#include "jitune/options.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

class RecordMaker;
class Supervisor;

/// No worker can be started for a kernel with a caller's code, whose candidates may end the process
/// that tries them.
class NoWorker : public Error {
public:
    using Error::Error;
};

/// The nice value of threads and workers that tune in the background.
inline constexpr int kBackgroundNice = 10;

/// Runs tunings of a session in worker processes if Options::worker says so, and tunings in the
/// background unless it forbids workers. Each device has a worker of its own, and one of low
/// priority for the background. A worker tunes one problem at a time; one that dies or hangs does
/// not affect the others. Thread-safe.
class Isolation {
public:
    /// Both must outlive it.
    Isolation(const Options& options, const Log& log);
    ~Isolation();

    /// Throws Error(unavailable) that says where it has looked for a worker's command, unless
    /// Options::worker forbids workers.
    void require_command() const;

    /// True if the kernel is to be tuned in a worker.
    [[nodiscard]] bool isolates(const Kernel& kernel, bool low_priority) const;

    /// Tunes the record maker's task in a worker, as Supervisor::tune() does. Returns nothing if
    /// the task's kernel is to be tuned in this process. Throws what Supervisor::tune() throws, and
    /// Error(unavailable) if no command is found; for a caller's code that error is a NoWorker.
    std::optional<TuneReport> tune(const RecordMaker& record_maker, const SearchPlan& plan,
                                   const TuneHooks& hooks);

    /// As tune(), for compare() of these configurations.
    std::optional<TuneReport> compare(const RecordMaker& record_maker,
                                      const std::vector<std::string>& compared,
                                      const SearchPlan& plan, const TuneHooks& hooks);

    /// Kernel instances that workers have given to a compiler. The last ones of a tuning that
    /// failed may be missing.
    [[nodiscard]] std::int64_t compiles() const { return compiles_; }

private:
    /// One device's worker.
    struct Station {
        std::mutex mutex;  // held while the worker tunes
        std::unique_ptr<Supervisor> supervisor;
    };

    /// Tunes, or compares `compared` if it is not empty.
    std::optional<TuneReport> in_worker(const RecordMaker& record_maker, const SearchPlan& plan,
                                        const TuneHooks& hooks,
                                        const std::vector<std::string>& compared);
    /// The station's supervisor, with a worker.
    Supervisor& start(Station& station, const Task& task, const TuneHooks& hooks);

    const Options& options_;
    const Log& log_;
    std::atomic<std::int64_t> compiles_{0};
    std::mutex mutex_;
    std::map<std::pair<std::string, bool>, Station> stations_;  ///< by device id and priority
};

}  // namespace jitune::internal
