// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/device_turns.hpp"

#include <unistd.h>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "tuning/measure/device_lock.hpp"

namespace jitune::internal {

bool DeviceTurns::has_worker() {
    if (!has_worker_) {
        has_worker_ = true;
        try {
            isolation_.require_command();
        } catch (const Error& error) {
            has_worker_ = false;
            if (options_.on_miss == TunePolicy::background) {
                log_.warning("nothing is tuned in the background: {}", error.what());
            }
        }
    }
    return *has_worker_;
}

bool DeviceTurns::is_quiet(Device& device) {
    constexpr double kBusy = 0.1;
    constexpr std::chrono::seconds kLater{10};
    if (time_.now() < busy_until_[&device]) {
        return false;
    }
    const auto share = device.utilization();
    const bool is_quiet = share && *share <= kBusy && has_worker();
    if (!is_quiet) {
        busy_until_[&device] = time_.now() + kLater;
    }
    return is_quiet;
}

bool DeviceTurns::is_free(Device& device, std::int64_t waiting) {
    if (options_.tune_on_busy_gpu || runs_on_cpu(device.info().platform)) {
        return true;  // on the host, low priority gives way
    }
    const auto share = device.utilization();
    const auto now = time_.now();
    IdleWatch& use = uses_[&device];
    use.look(share, now);
    if (waiting > 0 && !share && warned_of_.insert(&device).second) {
        log_.warning(
            "the driver does not say whether {} is busy: problems on it are not tuned in "
            "the background; JITUNE_TUNE_BUSY=1 allows it",
            device.info().id);
    } else if (waiting > 0 && use.is_never_idle(now) && warned_of_.insert(&device).second) {
        log_.warning(
            "{} has not been idle for a second in the last minute; {} problem{} for that to be "
            "tuned: JITUNE_TUNE_BUSY=1 tunes beside the other work, `jitune sweep worklist` later",
            device.info().id, waiting, waiting == 1 ? " waits" : "s wait");
    }
    return use.is_idle(now);
}

std::unique_ptr<FileLock>& DeviceTurns::lock_of(const DeviceInfo& device) {
    using Among = FileLock::Among;
    const bool is_host = runs_on_cpu(device.platform);
    const std::string name = is_host               ? fmt::format("host-{}", ::geteuid())
                             : device.uuid.empty() ? device.id
                                                   : device.uuid;
    const auto [place, is_new] = locks_.try_emplace(name);
    if (is_new && options_.on_miss == TunePolicy::background) {
        std::vector<std::filesystem::path> folders = lock_folders();
        if (is_host) {  // low priority gives way to other users: each user has a lock
            std::reverse(folders.begin(), folders.end());
        }
        try {
            place->second =
                std::make_unique<FileLock>(folders, "jitune-background-" + name + ".lock",
                                           is_host ? Among::this_user : Among::all_users);
        } catch (const Error& error) {
            log_.warning("{}; other processes may tune in the background, too", error.what());
        }
    }
    return place->second;
}

bool DeviceTurns::take(const Device& device) {
    std::unique_ptr<FileLock>& lock = lock_of(device.info());
    try {
        const auto turn = lock == nullptr ? FileLock::Turn::locked : lock->ask(time_.now());
        if (turn == FileLock::Turn::overdue && overruled_.insert(lock->path()).second) {
            log_.info(
                "{}: another process has held it for a minute; this one now tunes in the "
                "background beside it, at low priority",
                lock->path().string());
        }
        return turn != FileLock::Turn::refused;
    } catch (const Error& error) {
        log_.warning("{}; other processes may tune in the background, too", error.what());
        lock.reset();
        return true;
    }
}

void DeviceTurns::release(const Device& device) {
    if (const auto& lock = lock_of(device.info()); lock != nullptr) {
        lock->release();
    }
}

}  // namespace jitune::internal
