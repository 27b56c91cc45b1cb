// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "backend/device.hpp"
#include "measure/conditions.hpp"

namespace jitune::internal {

/// Looks for what may lengthen samples, before and after each batch of them: changing clocks, and
/// processors that other processes take. Used by one thread.
class DisturbanceWatch {
public:
    explicit DisturbanceWatch(Bench& bench) : bench_(bench) {}

    void begin();

    /// Ends the batch and says whether clocks or other processes disturbed it. Clocks are noisy if
    /// they changed by more than some percent, or if power or heat holds them down. The batch is
    /// contended if threads of this process waited for a processor for more than some percent of
    /// the time in which they wanted one, and for longer than a wake-up takes; it is slowed if the
    /// calling thread's processor was slower by more than some percent, before it or after.
    Disturbance end();

    /// True if a disturbed batch should be thrown away, after `discarded` of them in a row. A
    /// device that is never steady is soon measured as it is.
    bool discard(int discarded);

private:
    static constexpr int kMostInARow = 3;
    static constexpr int kAllowance = 20;  ///< disturbed batches beyond the others

    struct Reading {
        std::optional<ClockReading> clocks;
        std::optional<ProcessorUse> processors;
    };
    [[nodiscard]] Reading read();

    Bench& bench_;
    Reading before_, last_;
    std::optional<std::chrono::steady_clock::time_point> last_read_;
    int allowance_ = kAllowance;
};

}  // namespace jitune::internal
