// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "backend/device.hpp"
#include "measure/conditions.hpp"

namespace jitune::internal {

/// Reads the device's clocks before and after each batch of samples. Used by one thread.
class ClockWatch {
public:
    explicit ClockWatch(Bench& bench) : bench_(bench) {}

    void begin();

    /// Noisy: the clocks have changed by more than some percent since begin(), or power or heat
    /// holds them down.
    Clocks end();

    /// Whether to throw a noisy batch away, after `discarded` of them in a row. A device that is
    /// never steady is soon measured as it is.
    bool discard(int discarded);

private:
    static constexpr int kMostInARow = 3;
    static constexpr int kAllowance = 20;  ///< by how much noisy batches may outnumber steady ones

    std::optional<ClockReading> read();

    Bench& bench_;
    std::optional<ClockReading> before_, last_;
    std::chrono::steady_clock::time_point last_read_;
    int allowance_ = kAllowance;
};

}  // namespace jitune::internal
