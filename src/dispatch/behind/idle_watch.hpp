// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

namespace jitune::internal {

/// Finds out whether a device is free for a tuning behind the calls. Pure: it is told what the
/// driver says and when.
class IdleWatch {
public:
    using Clock = std::chrono::steady_clock;

    /// Takes what the driver says now: the `share` of the recent past in which the device has
    /// worked, or nothing if the driver does not say.
    void look(std::optional<double> share, Clock::time_point now);

    /// Takes that jitune itself has worked on the device until now: the driver's next shares
    /// include that work.
    void worked(Clock::time_point now) { worked_ = now; }

    /// True if the device has rested for a second, or for a quarter of a second after jitune's own
    /// work.
    [[nodiscard]] bool is_idle(Clock::time_point now) const;

    /// True if the device was watched for a minute and never idle.
    [[nodiscard]] bool is_never_idle(Clock::time_point now) const;

private:
    std::optional<Clock::time_point> idle_since_, busy_since_, worked_;
};

}  // namespace jitune::internal
