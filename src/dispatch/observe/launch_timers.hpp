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
    /// Returns the timer of the device, and makes it at the first call. Returns nullptr if the
    /// device cannot time single calls. The device must outlive the use of its timer.
    LaunchTimer* of(Device& device);

    /// The times that all of them have.
    std::vector<LaunchTimer::Time> take();

private:
    std::mutex mutex_;  ///< of what follows; not held while times are taken
    std::map<const Device*, std::unique_ptr<LaunchTimer>> timers_;
};

}  // namespace jitune::internal
