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

/// Says when a tuning that no call waits for may use a device that calls use, too: once the calls
/// have paused for kPause; if they never pause, for one look in each kLongest. Pure: it is told
/// when calls launch.
class CallGap {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kPause{50};
    static constexpr std::chrono::seconds kLongest{1};

    /// `called`: calls have launched since the last look, or before the first one.
    bool look(bool called, Clock::time_point now);

    /// For how long in all the tuning has had no turn by now.
    [[nodiscard]] Clock::duration rested(Clock::time_point now) const {
        return rested_ + (since_ ? now - *since_ : Clock::duration(0));
    }

private:
    std::optional<Clock::time_point> last_call_, since_;  ///< since_: without a turn
    Clock::duration rested_{0};
};

}  // namespace jitune::internal
