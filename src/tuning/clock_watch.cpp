// SPDX-License-Identifier: Apache-2.0
#include "tuning/clock_watch.hpp"

#include <algorithm>

namespace jitune::internal {

namespace {

constexpr double kSteady = 0.03;  // of the higher clock
// The end of one batch is the beginning of the next: a reading takes as long as a short sample.
constexpr std::chrono::milliseconds kFresh{20};

bool moved(const ClockReading& before, const ClockReading& after) {
    const auto [low, high] = std::minmax(before.mhz, after.mhz);
    return high - low > kSteady * high;
}

}  // namespace

std::optional<ClockReading> ClockWatch::read() {
    last_ = bench_.clocks();
    last_read_ = std::chrono::steady_clock::now();
    return last_;
}

void ClockWatch::begin() {
    const bool fresh = last_ && std::chrono::steady_clock::now() - last_read_ < kFresh;
    before_ = fresh ? last_ : read();
}

Clocks ClockWatch::end() {
    const std::optional<ClockReading> after = read();
    if (!before_ || !after) {
        return Clocks::unknown;
    }
    if (before_->held_down || after->held_down || moved(*before_, *after)) {
        return Clocks::noisy;
    }
    allowance_ = std::min(allowance_ + 1, kAllowance);
    return Clocks::steady;
}

bool ClockWatch::discard(int discarded) {
    if (discarded >= kMostInARow || allowance_ == 0) {
        return false;
    }
    --allowance_;
    return true;
}

}  // namespace jitune::internal
