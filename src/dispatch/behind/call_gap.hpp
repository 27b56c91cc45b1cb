// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

namespace jitune::internal {

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
