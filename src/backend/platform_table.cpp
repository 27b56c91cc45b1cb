// SPDX-License-Identifier: Apache-2.0
#include "backend/platform_table.hpp"

#include <array>

#include "backend/host/host_platform.hpp"

#if JITUNE_WITH_CUDA
#include "backend/cuda/cuda_platform.hpp"
#endif

namespace jitune::internal {

std::span<const PlatformEntry> platforms() {
    static constexpr std::array entries {
#if JITUNE_WITH_CUDA
        PlatformEntry{PlatformKind::cuda, make_cuda_platform},
#endif
            PlatformEntry{PlatformKind::host, make_host_platform},
    };
    return entries;
}

}  // namespace jitune::internal
