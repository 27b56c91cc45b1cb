// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace jitune::internal {

/// Detects that this process is a fork of the one that made the object. Costs one memory read.
class ForkGuard {
public:
    ForkGuard();
    [[nodiscard]] bool forked() const {
        return forks_.load(std::memory_order_relaxed) != generation_;
    }

private:
    /// The number of forks between the first guard of the program and this process. Only fork
    /// changes it.
    static std::atomic<std::uint64_t> forks_;

    std::uint64_t generation_;
};

}  // namespace jitune::internal
