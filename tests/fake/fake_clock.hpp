// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>

#include "support/time_source.hpp"

namespace jitune::internal {

/// A clock that a test advances. By itself it moves a nanosecond with each look, so that no loop
/// takes it for one that stands still. Thread-safe.
class FakeClock : public TimeSource {
public:
    [[nodiscard]] Clock::time_point now() const override {
        ++looks_;
        return Clock::time_point(std::chrono::nanoseconds(++time_ns_));
    }

    void advance(std::chrono::nanoseconds time) { time_ns_ += time.count(); }

    /// How often somebody has asked for the time: a loop that asks in each turn has had this many.
    [[nodiscard]] int looks() const { return looks_; }

private:
    mutable std::atomic<std::chrono::nanoseconds::rep> time_ns_{
        std::chrono::nanoseconds(std::chrono::hours(1)).count()};
    mutable std::atomic<int> looks_{0};
};

}  // namespace jitune::internal
