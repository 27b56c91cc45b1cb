// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace jitune::internal {

/// A number above 0 that no other call in this process returns.
inline std::uint64_t next_serial() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

}  // namespace jitune::internal
