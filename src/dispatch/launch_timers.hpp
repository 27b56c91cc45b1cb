// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/launch_timer.hpp"

namespace jitune::internal {

/// A LaunchTimer for each device. Thread-safe.
class LaunchTimers {
public:
    /// That of the device, which is made where there is none yet and must outlive its use; nullptr
    /// where single calls of the device cannot be timed.
    LaunchTimer* of(Device& device);

    /// The times that all of them have.
    std::vector<LaunchTimer::Time> take();

private:
    std::mutex mutex_;  ///< of what follows; not held while times are taken
    std::map<const Device*, std::unique_ptr<LaunchTimer>> timers_;
};

}  // namespace jitune::internal
