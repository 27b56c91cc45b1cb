// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <string>

#include "support/time_source.hpp"

namespace jitune::internal {

/// Measures how long a loop has lasted, by the monotonic clock of a TimeSource, which must outlive
/// it. The loop counts each of its turns here. A turn in which that clock stands still or goes back
/// counts as `usual`, so that a limit is reached all the same. No turn counts as more than `most`,
/// so that a jump of the clock does not reach a limit. Used by one thread.
class LoopClock {
public:
    using Clock = TimeSource::Clock;
    using Time = std::chrono::nanoseconds;

    explicit LoopClock(Time usual, Time most = Time::max(), const TimeSource& source = kMachineTime)
        : source_(&source), usual_(usual), most_(most), last_(source.now()) {}
    LoopClock(Time usual, const TimeSource& source) : LoopClock(usual, Time::max(), source) {}

    /// Counts the turn that ends now. Returns lasted().
    Time turn() {
        const Clock::time_point now = source_->now();
        const Time passed = now - last_;
        last_ = now;
        lasted_ += passed > Time(0) ? std::min(passed, most_) : usual_;
        return lasted_;
    }

    [[nodiscard]] Time lasted() const { return lasted_; }

private:
    const TimeSource* source_;
    Time usual_, most_;
    Clock::time_point last_;
    Time lasted_{0};
};

/// Counts a turn. Returns what is left of `patience` then, in whole milliseconds; 0: nothing.
std::chrono::milliseconds left_of(std::chrono::milliseconds patience, LoopClock& time);

/// Returns the processor time of the calling thread. Waits for a lock or a processor do not count.
std::chrono::nanoseconds thread_processor_time();

/// True if the monotonic clock does not move while this thread sleeps.
bool clock_stands_still();

/// The present time as "2026-11-20T16:00:00Z".
std::string utc_text();

}  // namespace jitune::internal
