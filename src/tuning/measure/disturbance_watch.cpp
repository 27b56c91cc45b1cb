// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/disturbance_watch.hpp"

#include <algorithm>

namespace jitune::internal {

namespace {

constexpr double kSteady = 0.03;     // of the higher clock
constexpr double kContended = 0.05;  // of the processor time that threads wanted
constexpr double kSlow = 1.2;        // a quiet virtual machine has bursts of 1.4 to 1.6
// A thread waits for some 25 us when it is woken up, for 300 us if another is woken up on its
// processor, and for a time slice of milliseconds if another wants it all the time. A sample may
// take 50 us.
constexpr std::chrono::microseconds kWakeUp{100};
// The end of one batch is the beginning of the next: a reading takes as long as a short sample.
constexpr std::chrono::milliseconds kFresh{20};

Clocks clocks_between(const std::optional<ClockReading>& before,
                      const std::optional<ClockReading>& after) {
    if (!before || !after) {
        return Clocks::unknown;
    }
    const auto [low, high] = std::minmax(before->mhz, after->mhz);
    const bool moved = high - low > kSteady * high;
    return before->held_down || after->held_down || moved ? Clocks::noisy : Clocks::steady;
}

bool is_contended(const std::optional<ProcessorUse>& before,
                  const std::optional<ProcessorUse>& after) {
    if (!before || !after) {
        return false;
    }
    // The differences are negative if threads have ended meanwhile.
    const std::chrono::duration<double> ran = after->ran - before->ran;
    const std::chrono::duration<double> waited = after->waited - before->waited;
    return waited > kWakeUp && waited > kContended * (ran + waited);
}

bool is_slow(const std::optional<ProcessorUse>& use) {
    return use && use->slowdown > kSlow;
}

}  // namespace

DisturbanceWatch::Reading DisturbanceWatch::read() {
    last_ = {bench_.clocks(), bench_.processor_use()};
    last_read_ = std::chrono::steady_clock::now();
    return last_;
}

void DisturbanceWatch::begin() {
    const bool fresh = last_read_ && std::chrono::steady_clock::now() - *last_read_ < kFresh;
    before_ = fresh ? last_ : read();
}

Disturbance DisturbanceWatch::end() {
    const Reading after = read();
    const Disturbance seen{clocks_between(before_.clocks, after.clocks),
                           is_contended(before_.processors, after.processors),
                           is_slow(before_.processors) || is_slow(after.processors)};
    if (!seen.is_noise()) {
        allowance_ = std::min(allowance_ + 1, kAllowance);
    }
    return seen;
}

bool DisturbanceWatch::discard(int discarded) {
    if (discarded >= kMostInARow || allowance_ == 0) {
        return false;
    }
    --allowance_;
    return true;
}

}  // namespace jitune::internal
