// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "backend/device.hpp"
#include "dispatch/behind/idle_watch.hpp"
#include "jitune/options.hpp"
#include "support/file_lock.hpp"
#include "support/log.hpp"
#include "support/time_source.hpp"
#include "tuning/isolation/isolation.hpp"

namespace jitune::internal {

/// When a session may tune or race behind its calls on a device. Used by one thread.
class DeviceTurns {
public:
    /// All must outlive it.
    DeviceTurns(const Options& options, const Log& log, const Isolation& isolation,
                const TimeSource& time)
        : options_(options), log_(log), isolation_(isolation), time_(time) {}

    /// False, with one warning under TunePolicy::background, if a tuning of low priority has no
    /// worker.
    bool has_worker();

    /// True if the device is idle, or if a tuning may run on a busy device. `waiting`: the problems
    /// that wait for a tuning. Warns if the device is never idle.
    bool is_free(Device& device, std::int64_t waiting);

    /// True if the device is quiet now, so that another try may find a surer winner.
    bool is_quiet(Device& device);

    /// Takes the lock by which one process at a time tunes on the device in the background. False
    /// while another process holds it, for at most a minute. True if the system has no such lock.
    bool take(const Device& device);
    void release(const Device& device);

    /// The session has used the device until now.
    void worked(Device& device) { uses_[&device].worked(time_.now()); }

private:
    using Clock = TimeSource::Clock;

    /// Null if the system has no such lock.
    std::unique_ptr<FileLock>& lock_of(const DeviceInfo& device);

    const Options& options_;
    const Log& log_;
    const Isolation& isolation_;
    const TimeSource& time_;
    std::optional<bool> has_worker_;
    std::map<std::string, std::unique_ptr<FileLock>> locks_;  ///< by device
    std::set<std::filesystem::path> overruled_;               ///< overruled locks, as was logged
    std::map<const Device*, IdleWatch> uses_;
    std::set<const Device*> warned_of_;                      ///< never idle, or not known to be
    std::map<const Device*, Clock::time_point> busy_until_;  ///< not asked again before
};

}  // namespace jitune::internal
