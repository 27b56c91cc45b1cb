// SPDX-License-Identifier: Apache-2.0
#include "backend/platform_kind.hpp"

#include <algorithm>
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

enum class RunsOn : std::uint8_t { gpu, cpu, other_devices };

struct PlatformRow {
    PlatformKind kind;
    RunsOn runs_on;
    std::string_view name;
    std::string_view template_suffix;
    std::span<const std::string_view> attributes;
};

/// In the order of PlatformKind. Calls read it while the process ends, too.
constexpr std::array<PlatformRow, kPlatformKinds.size()> kRows{{
    {PlatformKind::cuda, RunsOn::gpu, "cuda", ".cu", kOfCuda},
    {PlatformKind::host, RunsOn::cpu, "host", ".host.cpp", kOfHost},
    {PlatformKind::machine, RunsOn::other_devices, "machine", ".machine.cpp", kOfMachine},
}};

/// True if kRows and kPlatformKinds have a platform at its place. A new platform is missing in the
/// switch first, where the compiler warns.
constexpr bool is_at_its_place(PlatformKind kind) {
    switch (kind) {
        case PlatformKind::cuda:
        case PlatformKind::host:
        case PlatformKind::machine:
            break;
    }
    const auto place = static_cast<std::size_t>(kind);
    return kRows.at(place).kind == kind && kPlatformKinds.at(place) == kind;
}
static_assert(std::all_of(kPlatformKinds.begin(), kPlatformKinds.end(), is_at_its_place));

const PlatformRow& row_of(PlatformKind kind) {
    return kRows.at(static_cast<std::size_t>(kind));
}

}  // namespace

bool runs_on_gpu(PlatformKind kind) {
    return row_of(kind).runs_on == RunsOn::gpu;
}

bool runs_on_cpu(PlatformKind kind) {
    return row_of(kind).runs_on == RunsOn::cpu;
}

bool runs_placements(PlatformKind kind) {
    return row_of(kind).runs_on == RunsOn::other_devices;
}

bool runs_on_cpu(std::string_view device) {
    const auto kind = platform_from(device);
    return kind && runs_on_cpu(*kind);
}

bool runs_placements(std::string_view device) {
    const auto kind = platform_from(device);
    return kind && runs_placements(*kind);
}

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
