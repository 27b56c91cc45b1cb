// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "backend/device.hpp"

namespace jitune::internal {

/// Times single calls of an app where they run, and never waits for one. Thread-safe.
class LaunchTimer {
public:
    virtual ~LaunchTimer() = default;

    struct Time {
        std::uint64_t tag = 0;
        double ns = 0;  ///< 0: too short to tell
    };

    /// True if launch() may time a call on the stream; false while the stream is captured, for
    /// example. Throws nothing.
    [[nodiscard]] virtual bool may_time(Stream stream) = 0;

    /// Launches, with the errors of `launch`. Times the launch if that takes no waiting and
    /// disturbs nothing. Returns true if take() will have its time, or if the device has failed.
    virtual bool launch(const ReadyLaunch& launch, void* const* arrays, Stream stream,
                        std::uint64_t tag) = 0;

    /// The times of the calls that have ended since the last take(). A few that nobody takes are
    /// kept, others are lost.
    virtual std::vector<Time> take() = 0;
};

}  // namespace jitune::internal
