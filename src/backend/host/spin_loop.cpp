// SPDX-License-Identifier: Apache-2.0
#include "backend/host/spin_loop.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>

namespace jitune::internal {

namespace {

using Clock = RecentLeast::Clock;

/// The six additions of a step do not depend on each other, so the loop uses all units of a core.
/// It takes longer if another thread of the core uses some of them.
void spin() {
    constexpr int kSteps = 10'000;  // about 5 us: an interrupt seldom comes between
    std::uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;
    for (int i = 0; i < kSteps; ++i) {
        ++a;
        ++b;
        ++c;
        ++d;
        ++e;
        ++f;
        asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    }
}

/// Seconds: the shorter of two times, because an interrupt may be in one.
double time_of_spin() {
    Clock::duration least = Clock::duration::max();
    for (int run = 0; run < 2; ++run) {
        const auto start = Clock::now();
        spin();
        least = std::min(least, Clock::now() - start);
    }
    return std::max(std::chrono::duration<double>(least).count(), 1e-9);
}

/// The shortest of many, for a beginning that may be busy.
double first_time() {
    constexpr int kTries = 30;
    double least = time_of_spin();
    for (int i = 1; i < kTries; ++i) {
        least = std::min(least, time_of_spin());
    }
    return least;
}

}  // namespace

double RecentLeast::add(double time, Clock::time_point now) {
    if (here_ == 0 || now - begin_ >= period_) {
        before_ = here_ == 0 || now - begin_ >= 2 * period_ ? time : here_;
        here_ = time;
        begin_ = now;
    }
    here_ = std::min(here_, time);
    return std::min(here_, before_);
}

double processor_slowdown() {
    static std::mutex mutex;
    static RecentLeast recent = [] {
        RecentLeast begun(std::chrono::seconds(30));
        begun.add(first_time(), Clock::now());
        return begun;
    }();
    const double time = time_of_spin();
    const std::lock_guard lock(mutex);
    return time / recent.add(time, Clock::now());
}

}  // namespace jitune::internal
