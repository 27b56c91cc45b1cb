// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace jitune::internal {

/// The processors that kernels are compiled for. `machine` is all processors of this computer
/// together, whose kernels are placements of arrays in host memory.
enum class PlatformKind : std::uint8_t { cuda, host, machine };

/// "cuda", "host", "machine".
std::string_view to_string(PlatformKind kind);

/// The platform of that name; nothing for another name.
std::optional<PlatformKind> platform_from(std::string_view name);

/// How the names of its built-in templates end: ".cu", ".host.cpp", ".machine.cpp".
std::string_view template_suffix(PlatformKind kind);

/// The keys of DeviceInfo::attributes that expressions of its templates may use.
std::span<const std::string_view> device_attributes(PlatformKind kind);

}  // namespace jitune::internal
