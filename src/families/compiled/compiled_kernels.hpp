// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "backend/device.hpp"

namespace jitune::internal {

/// A name expression and the symbol of its entry point in an image.
struct CompiledEntry {
    std::string_view expression;
    const char* symbol;
};

/// A shared object for the host, in the library's own memory.
struct CompiledImage {
    std::string_view bytes;
    std::span<const CompiledEntry> entries;
};

/// The images that the build has made from the sources of write_kernels.cpp. A build without
/// JITUNE_COMPILED_KERNELS has no image.
extern const std::span<const CompiledImage> compiled_images;

/// Code of a built-in kernel that the library was built with, so that no compiler is needed: of the
/// reductions' defaults on the host. Nothing for other instances, other devices and CPUs without
/// the instructions that it uses. Thread-safe.
std::optional<Binary> compiled_kernel(const DeviceInfo& device, const Instance& instance);

}  // namespace jitune::internal
