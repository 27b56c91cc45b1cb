// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace jitune::internal {

/// The processors that kernels are compiled for. `machine` is all processors of this computer
/// together, whose kernels are placements of arrays in host memory.
enum class PlatformKind : std::uint8_t { cuda, host, machine };

/// All of them, in the order of the enumeration.
inline constexpr std::array kPlatformKinds{PlatformKind::cuda, PlatformKind::host,
                                           PlatformKind::machine};

// What other rooms ask of a platform in place of its name. One of the three is true.

/// Kernels run on a GPU, which has memory and streams of its own.
bool runs_on_gpu(PlatformKind kind);
/// Kernels run on the cores and in the memory of the process that launches them.
bool runs_on_cpu(PlatformKind kind);
/// Kernels are placements, which share out work to other devices.
bool runs_placements(PlatformKind kind);

/// The same of the id of a device. False for "cuda:1" and the like, because only GPUs are numbered.
bool runs_on_cpu(std::string_view device);
bool runs_placements(std::string_view device);

/// "cuda", "host", "machine".
std::string_view to_string(PlatformKind kind);

/// The platform of that name; nothing for another name.
std::optional<PlatformKind> platform_from(std::string_view name);

/// How the names of its built-in templates end: ".cu", ".host.cpp", ".machine.cpp".
std::string_view template_suffix(PlatformKind kind);

/// The keys of DeviceInfo::attributes that expressions of its templates may use.
std::span<const std::string_view> device_attributes(PlatformKind kind);

}  // namespace jitune::internal
