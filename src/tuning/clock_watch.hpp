// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "backend/device.hpp"

namespace jitune::internal {

/// What the device's clocks did while a batch of samples was taken.
enum class Clocks { steady, noisy, unknown };

/// "steady", "noisy", "unknown".
std::string_view to_string(Clocks clocks);

/// Reads the device's clocks before and after each batch of samples. Used by one thread.
class ClockWatch {
public:
    explicit ClockWatch(Bench& bench) : bench_(bench) {}

    void begin();

    /// Noisy: the clocks have moved by more than some percent since begin(), or power or heat holds
    /// them down.
    Clocks end();

    /// Whether a noisy batch is thrown away, of which `discarded` have been in a row. A device that
    /// is never steady is soon measured as it is.
    bool discard(int discarded);

private:
    static constexpr int kMostInARow = 3;
    static constexpr int kAllowance = 20;  ///< noisy batches more than steady ones

    std::optional<ClockReading> read();

    Bench& bench_;
    std::optional<ClockReading> before_, last_;
    std::chrono::steady_clock::time_point last_read_;
    int allowance_ = kAllowance;
};

}  // namespace jitune::internal
