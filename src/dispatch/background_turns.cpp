// SPDX-License-Identifier: Apache-2.0
// Background: when it may tune or race on a device.
#include "dispatch/background.hpp"
#include "jitune/error.hpp"
#include "tuning/device_lock.hpp"

namespace jitune::internal {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kIdleTime{1};  // of a GPU, before a tuning

}  // namespace

bool Background::is_worth_another_try(const Watched& watched) {
    constexpr double kBusy = 0.1;
    constexpr seconds kLater{10};
    if (!watched.is_provisional || Clock::now() < busy_until_[&watched.device]) {
        return false;
    }
    const auto share = watched.device.utilization();
    const bool is_quiet = share && *share <= kBusy && has_worker();
    if (!is_quiet) {
        busy_until_[&watched.device] = Clock::now() + kLater;
    }
    return is_quiet;
}

bool Background::is_free(const Watched& watched) {
    constexpr double kIdle = 0.02;
    Device& device = watched.device;
    if (options_.tune_on_busy_gpu || device.info().platform == PlatformKind::host ||
        watched.is_urgent || options_.on_miss == TunePolicy::now) {
        return true;  // on the host, low priority gives way
    }
    const auto share = device.utilization();
    const auto [use, is_new] = uses_.try_emplace(&device);
    if (is_new && !share) {
        log_.warning(
            "the driver does not say whether {} is busy: problems on it are not tuned in "
            "the background; JITUNE_TUNE_BUSY=1 allows it",
            device.info().id);
    }
    const auto now = Clock::now();
    std::optional<Clock::time_point>& idle_since = use->second;
    idle_since =
        share && *share <= kIdle ? idle_since.value_or(now) : std::optional<Clock::time_point>();
    return idle_since && now - *idle_since >= kIdleTime;
}

std::unique_ptr<FileLock>& Background::lock_of(const DeviceInfo& device) {
    const std::string name = device.uuid.empty() ? device.id : device.uuid;
    const auto [place, is_new] = locks_.try_emplace(name);
    if (is_new && options_.on_miss == TunePolicy::background) {
        try {
            place->second =
                std::make_unique<FileLock>(lock_folders(), "jitune-background-" + name + ".lock");
        } catch (const Error& error) {
            log_.warning("{}; other processes may tune in the background, too", error.what());
        }
    }
    return place->second;
}

bool Background::take(std::unique_ptr<FileLock>& lock) {
    try {
        return lock == nullptr || lock->acquire(milliseconds(0));
    } catch (const Error& error) {
        log_.warning("{}; other processes may tune in the background, too", error.what());
        lock.reset();
        return true;
    }
}

}  // namespace jitune::internal
