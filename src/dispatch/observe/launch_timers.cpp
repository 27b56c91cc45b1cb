// SPDX-License-Identifier: Apache-2.0
#include "dispatch/observe/launch_timers.hpp"

namespace jitune::internal {

LaunchTimer* LaunchTimers::of(Device& device) {
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = timers_.try_emplace(&device);
    if (is_new) {
        place->second = device.make_launch_timer();
    }
    return place->second.get();
}

std::vector<LaunchTimer::Time> LaunchTimers::take() {
    std::vector<LaunchTimer*> timers;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [device, timer] : timers_) {
            if (timer != nullptr) {
                timers.push_back(timer.get());
            }
        }
    }
    std::vector<LaunchTimer::Time> times;
    for (LaunchTimer* const timer : timers) {
        const std::vector<LaunchTimer::Time> some = timer->take();
        times.insert(times.end(), some.begin(), some.end());
    }
    return times;
}

}  // namespace jitune::internal
