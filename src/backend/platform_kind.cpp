// SPDX-License-Identifier: Apache-2.0
#include "backend/platform_kind.hpp"

#include <array>

namespace jitune::internal {

namespace {

struct PlatformRow {
    PlatformKind kind;
    std::string_view name;
    std::string_view template_suffix;
    std::set<std::string> attributes;
};

/// In the order of PlatformKind.
const std::array<PlatformRow, 3>& rows() {
    static const std::array<PlatformRow, 3> kRows{{
        {PlatformKind::cuda,
         "cuda",
         ".cu",
         {"sm_count", "warp_size", "max_threads_per_block", "max_threads_per_sm",
          "max_blocks_per_sm", "shared_bytes_per_block", "registers_per_sm", "l2_bytes",
          "compute_capability", "memory_bus_bits", "memory_clock_khz"}},
        {PlatformKind::host, "host", ".host.cpp", {"cores", "cache_bytes", "simd_bytes"}},
        {PlatformKind::machine, "machine", ".machine.cpp", {"cores", "gpu_count"}},
    }};
    return kRows;
}

const PlatformRow& row_of(PlatformKind kind) {
    return rows().at(static_cast<std::size_t>(kind));
}

}  // namespace

std::string_view to_string(PlatformKind kind) {
    return row_of(kind).name;
}

std::optional<PlatformKind> platform_from(std::string_view name) {
    for (const PlatformRow& row : rows()) {
        if (row.name == name) {
            return row.kind;
        }
    }
    return std::nullopt;
}

std::string_view template_suffix(PlatformKind kind) {
    return row_of(kind).template_suffix;
}

const std::set<std::string>& device_attributes(PlatformKind kind) {
    return row_of(kind).attributes;
}

}  // namespace jitune::internal
