// SPDX-License-Identifier: Apache-2.0
#include "backend/device.hpp"

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/hash.hpp"

namespace jitune::internal {

void require_timed(std::span<const Launch> chain, std::size_t untimed) {
    if (untimed == 0 || untimed >= chain.size()) {
        throw Error(ErrorKind::usage,
                    fmt::format("cannot time a chain of {} launches of which the first {} are not "
                                "timed: give at least one launch of each kind",
                                chain.size(), untimed));
    }
}

std::vector<std::uint64_t> host_checksums(std::span<const MemoryRegion> regions) {
    std::vector<std::uint64_t> sums;
    for (const MemoryRegion& region : regions) {
        sums.push_back(quick_hash({static_cast<const char*>(region.data), region.bytes}, 0));
    }
    return sums;
}

}  // namespace jitune::internal
