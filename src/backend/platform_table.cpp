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

namespace {

const PlatformEntry* entry_of(PlatformKind kind) {
    for (const PlatformEntry& entry : platforms()) {
        if (entry.kind == kind) {
            return &entry;
        }
    }
    return nullptr;
}

}  // namespace

std::unique_ptr<Platform> make_platform(PlatformKind kind, const Log& log) {
    const PlatformEntry* entry = entry_of(kind);
    return entry == nullptr ? nullptr : entry->make(log, nullptr);
}

MakeCompiler compiler_maker(PlatformKind kind) {
    const PlatformEntry* entry = entry_of(kind);
    return entry == nullptr ? nullptr : entry->make_compiler;
}

MakeInspector inspector_maker(PlatformKind kind) {
    const PlatformEntry* entry = entry_of(kind);
    return entry == nullptr ? nullptr : entry->make_inspector;
}

MakeRecipe recipe_maker(PlatformKind kind) {
    const PlatformEntry* entry = entry_of(kind);
    return entry == nullptr ? nullptr : entry->make_recipe;
}

}  // namespace jitune::internal
