// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "backend/device.hpp"

namespace jitune::internal {

/// The name expressions of an instance and the symbols of their entry points in an image, each
/// followed by a line end.
struct CompiledEntry {
    std::string_view expressions;
    std::string_view symbols;
};

/// A shared object for the host or a cubin, in the library's own memory.
struct CompiledImage {
    int compute_capability;  ///< 90 for 9.0; 0: for the host
    std::string_view bytes;
    std::span<const CompiledEntry> entries;
};

using CompiledImages = std::span<const std::span<const CompiledImage>* const>;

/// The images that the build has made: of the host from the sources of write_kernels.cpp, of GPUs
/// by compile_kernels.cpp. A build without JITUNE_COMPILED_KERNELS has no image.
extern const CompiledImages compiled_images;

/// The code of an instance in `images`, for a device that runs it. A device of 7.5 runs only code
/// for 7.x up to 7.5. Returns nothing if none of them has it. Thread-safe; the images must live as
/// long as the process.
std::optional<Binary> find_compiled(CompiledImages images, const DeviceInfo& device,
                                    const Instance& instance);

/// Code of a built-in kernel that the library was built with, so that no compiler is needed: of the
/// reductions' defaults on the host, and of those of whole arrays on GPUs of the architectures that
/// it was built for. Nothing for other instances, other devices and CPUs without the instructions
/// that it uses. Thread-safe.
std::optional<Binary> compiled_kernel(const DeviceInfo& device, const Instance& instance);

}  // namespace jitune::internal
