// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

namespace jitune::internal {

/// Whether a device is free for a tuning behind the calls. Pure: it is told what the driver says
/// and when.
class IdleWatch {
public:
    using Clock = std::chrono::steady_clock;

    /// The driver says now in what `share` of a recent while the device has worked; nothing: it
    /// does not say.
    void look(std::optional<double> share, Clock::time_point now);

    /// jitune itself has worked on the device until now, which the driver's next words will show.
    void worked(Clock::time_point now) { worked_ = now; }

    /// It has rested for a second, or, after jitune's own work, for a quarter of one.
    [[nodiscard]] bool is_idle(Clock::time_point now) const;

    /// It has been looked at for a minute, and was not idle since then.
    [[nodiscard]] bool is_never_idle(Clock::time_point now) const;

private:
    std::optional<Clock::time_point> idle_since_, busy_since_, worked_;
};

}  // namespace jitune::internal
