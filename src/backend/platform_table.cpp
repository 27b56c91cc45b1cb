// SPDX-License-Identifier: Apache-2.0
#include "backend/platform_table.hpp"

#include <array>
#include <utility>

#include "backend/host/host_platform.hpp"

#if JITUNE_WITH_CUDA
#include "backend/cuda/compile/cuda_compiler.hpp"
#include "backend/cuda/driver/cuda_inspector.hpp"
#include "backend/cuda/driver/cuda_platform.hpp"
#endif

namespace jitune::internal {

namespace {

// The table's type of functions.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
std::unique_ptr<Platform> make_host(const Log& log, std::shared_ptr<RemoteCompiler> /*compiler*/) {
    return make_host_platform(log);
}

}  // namespace

std::span<const PlatformEntry> platforms() {
    static constexpr std::array entries {
#if JITUNE_WITH_CUDA
        PlatformEntry{PlatformKind::cuda, make_cuda_platform, make_cuda_compiler,
                      make_cuda_inspector, make_cuda_recipe},
#endif
            PlatformEntry{PlatformKind::host, make_host, nullptr, make_host_inspector,
                          make_host_recipe},
    };
    return entries;
}

const PlatformEntry& platform_entry(PlatformKind kind) {
    static constexpr PlatformEntry none{};
    for (const PlatformEntry& entry : platforms()) {
        if (entry.kind == kind) {
            return entry;
        }
    }
    return none;
}

std::unique_ptr<Platform> make_platform(PlatformKind kind, const Log& log) {
    const auto make = platform_entry(kind).make;
    return make == nullptr ? nullptr : make(log, nullptr);
}

}  // namespace jitune::internal
