// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

namespace jitune::internal {

/// The clock that limits, budgets and waits go by: the machine's, unless a test passes one that it
/// advances itself. Thread-safe.
class TimeSource {
public:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] virtual Clock::time_point now() const = 0;

    /// 0 if the clock has gone back.
    [[nodiscard]] double seconds_since(Clock::time_point begin) const {
        return std::max(0.0, std::chrono::duration<double>(now() - begin).count());
    }

protected:
    ~TimeSource() = default;  // trivial: calls may need the machine's clock while the process ends
};

class MachineTime final : public TimeSource {
public:
    [[nodiscard]] Clock::time_point now() const override { return Clock::now(); }
};

inline constexpr MachineTime kMachineTime;

}  // namespace jitune::internal
