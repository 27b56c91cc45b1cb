// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "backend/texture_view.hpp"

namespace jitune::internal {

struct Extent {
    std::uint32_t x, y, z;
};

inline constexpr std::size_t kMaxLaunchSteps = 4;
inline constexpr std::size_t kMaxArguments = 16;
inline constexpr std::size_t kMaxConstants = 4;
inline constexpr std::size_t kMaxTextures = 8;

/// Argument values as raw bits: device pointers and scalars of at most 8 bytes.
using Cells = std::array<std::uint64_t, kMaxArguments>;

/// One kernel launch of a configuration. The host backend takes the entry and the arguments alone.
struct LaunchStep {
    std::uint32_t entry;  ///< which symbol of the Program
    Extent grid, block;
    std::uint32_t shared_bytes;
    std::uint32_t cluster;  ///< blocks per cluster along x; 0 and 1: the launch has no clusters
    /// Not 0: the kernel may start before the previous work of the stream has ended. It waits for
    /// that work itself (griddepcontrol.wait) before it touches memory.
    std::uint32_t programmatic;
    std::uint32_t cooperative;  ///< not 0: all blocks run at the same time, or the launch fails
    std::array<std::uint8_t, kMaxArguments> arguments;  ///< indexes into Launch::cells
    std::uint8_t argument_count;
};

/// An array of the caller that is copied into a constant of the program before the first step.
struct ConstantCopy {
    std::uint8_t array;  ///< of Launch::array_cells
    std::uint8_t entry;  ///< which symbol of the Program
    std::uint64_t bytes;
};

/// The launches that answer one call, with every argument: nothing is left to compute. Needs no
/// allocation; what is not used is not initialised.
struct Launch {
    std::size_t step_count = 0;
    std::uint8_t array_count = 0;
    std::uint8_t constant_count = 0;
    std::uint8_t texture_count = 0;
    /// The cells of the caller's arrays, in their order.
    std::array<std::uint8_t, kMaxArguments> array_cells;
    /// If bit i is set, the kernel takes array i by value: the host memory at its pointer is read
    /// while the launch is enqueued.
    std::uint32_t by_value = 0;
    std::array<ConstantCopy, kMaxConstants> constants;
    Cells cells;
    std::array<LaunchStep, kMaxLaunchSteps> steps;
    std::array<TextureView, kMaxTextures> textures;
};

/// Arguments travel to a ReadyLaunch as `void*`: the address of an array, or the bits of a scalar
/// of at most 8 bytes. These two functions are the only way to put bits in and take them out.
inline void* argument_of(std::uint64_t bits) {
    return reinterpret_cast<void*>(bits);  // NOLINT(performance-no-int-to-ptr)
}
inline std::uint64_t bits_of(void* argument) {
    return reinterpret_cast<std::uintptr_t>(argument);
}

/// The arrays that are in the cells of a launch, in their order.
inline std::array<void*, kMaxArguments> arrays_of(const Launch& launch) {
    std::array<void*, kMaxArguments> arrays;
    for (std::size_t i = 0; i < launch.array_count; ++i) {
        arrays[i] = argument_of(launch.cells[launch.array_cells[i]]);
    }
    return arrays;
}

/// Bytes of work memory that a launch needs beside its arrays.
struct ScratchNeed {
    std::size_t plain = 0;
    std::size_t zeroed = 0;  ///< zero before each launch; the kernel leaves it zero
};

/// Both 256-byte aligned.
struct Scratch {
    void* plain = nullptr;
    void* zeroed = nullptr;

    bool operator==(const Scratch&) const = default;
};

}  // namespace jitune::internal
