// SPDX-License-Identifier: Apache-2.0
#include "support/loop_clock.hpp"

#include <time.h>

#include <ctime>
#include <thread>

#include <fmt/chrono.h>

namespace jitune::internal {

using std::chrono::milliseconds;

milliseconds left_of(milliseconds patience, LoopClock& time) {
    const auto left = std::chrono::duration_cast<milliseconds>(patience - time.turn());
    return std::max(left, milliseconds(0));
}

std::chrono::nanoseconds thread_processor_time() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

bool clock_stands_still() {
    constexpr milliseconds kLongerThanATick{20};
    const auto before = kMachineTime.now();
    std::this_thread::sleep_for(kLongerThanATick);
    return kMachineTime.now() == before;
}

std::string utc_text() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace jitune::internal
