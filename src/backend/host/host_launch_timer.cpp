// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_launch_timer.hpp"

#include <chrono>
#include <utility>

namespace jitune::internal {

bool HostLaunchTimer::launch(const ReadyLaunch& launch, void* const* arrays, Stream stream,
                             std::uint64_t tag) {
    using Clock = std::chrono::steady_clock;
    constexpr std::size_t kMost = 1024;
    const Clock::time_point begin = Clock::now();
    launch(arrays, stream);
    const std::chrono::duration<double, std::nano> time = Clock::now() - begin;
    const std::lock_guard lock(mutex_);
    if (times_.size() == kMost) {
        return false;
    }
    times_.push_back({tag, time.count()});
    return true;
}

std::vector<LaunchTimer::Time> HostLaunchTimer::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(times_, {});
}

}  // namespace jitune::internal
