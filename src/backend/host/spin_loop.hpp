// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace jitune::internal {

/// How slow the calling thread's processor is: the time of a loop of fixed length over the least
/// that it has taken within the last minute, from 1 on. Work on the other hardware thread of a
/// core, also of another virtual machine, and lowered clocks make it longer; no counter of the
/// system tells of either. A processor that stays slow counts as fast after a minute: it is what
/// there is. Takes about 10 us, at first 0.3 ms. Thread-safe.
double processor_slowdown();

/// The least of some times within the last one to two periods. For one thread at a time.
class RecentLeast {
public:
    using Clock = std::chrono::steady_clock;

    explicit RecentLeast(Clock::duration period) : period_(period) {}

    /// Adds a time that was taken `now`, and returns the least with it.
    double add(double time, Clock::time_point now);

private:
    const Clock::duration period_;
    Clock::time_point begin_{};  ///< of the period under way
    double here_ = 0;            ///< the least in it; 0: none
    double before_ = 0;          ///< in the one before
};

}  // namespace jitune::internal
