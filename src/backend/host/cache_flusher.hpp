// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/host/host_memory.hpp"

namespace jitune::internal {

/// Drives other data out of the caches of every core that this process may use.
class CacheFlusher {
public:
    /// Throws Error(unavailable).
    CacheFlusher(std::int64_t cores, std::int64_t cache_bytes);

    /// Reads, on all cores at once, twice as much memory as the last-level cache holds.
    void flush() const;

private:
    std::int64_t slice_bytes_;
    HostMemory memory_;
};

}  // namespace jitune::internal
