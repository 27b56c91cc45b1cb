// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "backend/device.hpp"

namespace jitune::internal {

struct Resolved;

/// Learns something from single calls of an answer. Thread-safe.
class CallProbe {
public:
    /// Launches a call of the answer at these sizes, with the errors of `launch`, and learns from
    /// it what it can. `calls`: those of the thread at these sizes since the last that a probe saw
    /// or was offered, with this one. Returns whether it wants the thread's next call, too.
    virtual bool launch(const Resolved& answer, std::span<const std::int64_t> sizes,
                        std::int64_t calls, const ReadyLaunch& launch, void* const* arrays,
                        Stream stream) = 0;

protected:
    ~CallProbe() = default;
};

}  // namespace jitune::internal
