// SPDX-License-Identifier: Apache-2.0
#include "backend/platform_kind.hpp"

#include <array>

namespace jitune::internal {

namespace {

constexpr std::array<std::string_view, 11> kOfCuda{"sm_count",
                                                   "warp_size",
                                                   "max_threads_per_block",
                                                   "max_threads_per_sm",
                                                   "max_blocks_per_sm",
                                                   "memory_bus_bits",
                                                   "shared_bytes_per_block",
                                                   "registers_per_sm",
                                                   "compute_capability",
                                                   "memory_clock_khz",
                                                   "l2_bytes"};
constexpr std::array<std::string_view, 3> kOfHost{"cores", "cache_bytes", "simd_bytes"};
constexpr std::array<std::string_view, 2> kOfMachine{"cores", "gpu_count"};

struct PlatformRow {
    PlatformKind kind;
    std::string_view name;
    std::string_view template_suffix;
    std::span<const std::string_view> attributes;
};

/// In the order of PlatformKind. Calls read it while the process ends, too.
constexpr std::array<PlatformRow, 3> kRows{{
    {PlatformKind::cuda, "cuda", ".cu", kOfCuda},
    {PlatformKind::host, "host", ".host.cpp", kOfHost},
    {PlatformKind::machine, "machine", ".machine.cpp", kOfMachine},
}};

const PlatformRow& row_of(PlatformKind kind) {
    return kRows.at(static_cast<std::size_t>(kind));
}

}  // namespace

std::string_view to_string(PlatformKind kind) {
    return row_of(kind).name;
}

std::optional<PlatformKind> platform_from(std::string_view name) {
    for (const PlatformRow& row : kRows) {
        if (row.name == name) {
            return row.kind;
        }
    }
    return std::nullopt;
}

std::string_view template_suffix(PlatformKind kind) {
    return row_of(kind).template_suffix;
}

std::span<const std::string_view> device_attributes(PlatformKind kind) {
    return row_of(kind).attributes;
}

}  // namespace jitune::internal
