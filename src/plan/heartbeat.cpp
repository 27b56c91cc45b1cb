// SPDX-License-Identifier: Apache-2.0
#include "plan/heartbeat.hpp"

#include <utility>

#include "support/thread_signals.hpp"

namespace jitune::internal {

Heartbeat::Heartbeat(std::chrono::milliseconds period, std::function<void()> beat)
    : period_(period), beat_(std::move(beat)) {
    const SignalsBlocked blocked;
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Heartbeat::run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        beat_();
        wake_.wait_for(lock, stop, period_, [] { return false; });
    }
}

}  // namespace jitune::internal
