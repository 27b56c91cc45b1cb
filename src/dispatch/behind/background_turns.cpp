// SPDX-License-Identifier: Apache-2.0
// Background: when it may tune or race on a device.
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "dispatch/behind/background.hpp"
#include "jitune/error.hpp"
#include "tuning/measure/device_lock.hpp"

namespace jitune::internal {

namespace {

using std::chrono::seconds;

}  // namespace

bool Background::is_worth_another_try(const Watched& watched) {
    constexpr double kBusy = 0.1;
    constexpr seconds kLater{10};
    if (!watched.is_provisional || time_.now() < busy_until_[&watched.device]) {
        return false;
    }
    const auto share = watched.device.utilization();
    const bool is_quiet = share && *share <= kBusy && has_worker();
    if (!is_quiet) {
        busy_until_[&watched.device] = time_.now() + kLater;
    }
    return is_quiet;
}

bool Background::is_free(const Watched& watched) {
    Device& device = watched.device;
    if (options_.tune_on_busy_gpu || runs_on_cpu(device.info().platform) || watched.is_urgent) {
        return true;  // on the host, low priority gives way
    }
    const auto share = device.utilization();
    const auto now = time_.now();
    IdleWatch& use = uses_[&device];
    use.look(share, now);
    const bool waits = pending_ > 0;
    if (waits && !share && warned_of_.insert(&device).second) {
        log_.warning(
            "the driver does not say whether {} is busy: problems on it are not tuned in "
            "the background; JITUNE_TUNE_BUSY=1 allows it",
            device.info().id);
    } else if (waits && use.is_never_idle(now) && warned_of_.insert(&device).second) {
        log_.warning(
            "{} has not been idle for a second in the last minute; {} problem{} for that to be "
            "tuned: JITUNE_TUNE_BUSY=1 tunes beside the other work, `jitune sweep worklist` later",
            device.info().id, pending_.load(), pending_ == 1 ? " waits" : "s wait");
    }
    return use.is_idle(now);
}

bool Background::has_turn(const Watched& watched, CallGap& gap) {
    constexpr seconds kMostRest{10};  // while it holds memory of the device and its lease
    if (watched.is_urgent || gap.look(watched.device.take_launched(), time_.now())) {
        return true;
    }
    if (gives_way_ || gap.rested(time_.now()) >= kMostRest) {
        gives_way_ = true;
        throw Error(ErrorKind::unavailable,
                    "a tuning in the background gave way to calls that use its device; it goes on "
                    "when that is idle");
    }
    return false;
}

std::unique_ptr<FileLock>& Background::lock_of(const DeviceInfo& device) {
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

bool Background::take(std::unique_ptr<FileLock>& lock) {
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

}  // namespace jitune::internal
