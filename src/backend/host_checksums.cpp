// SPDX-License-Identifier: Apache-2.0
#include "backend/device.hpp"
#include "support/hash.hpp"

namespace jitune::internal {

std::vector<std::uint64_t> host_checksums(std::span<const MemoryRegion> regions) {
    std::vector<std::uint64_t> sums;
    for (const MemoryRegion& region : regions) {
        sums.push_back(quick_hash({static_cast<const char*>(region.data), region.bytes}, 0));
    }
    return sums;
}

}  // namespace jitune::internal
