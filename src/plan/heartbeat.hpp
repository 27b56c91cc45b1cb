// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace jitune::internal {

/// Calls a function on a thread of its own, at once and then again and again, as long as it lives.
class Heartbeat {
public:
    /// `beat` must not throw. Signals are not delivered to its thread.
    Heartbeat(std::chrono::milliseconds period, std::function<void()> beat);
    Heartbeat(const Heartbeat&) = delete;
    Heartbeat& operator=(const Heartbeat&) = delete;

private:
    void run(const std::stop_token& stop);

    const std::chrono::milliseconds period_;
    const std::function<void()> beat_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::jthread thread_;  // ends before the members that it uses
};

}  // namespace jitune::internal
