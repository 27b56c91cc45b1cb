// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

#include "jitune/element_type.hpp"

namespace jitune::internal {

/// Every GPU takes texture objects whose first texel lies at a multiple of the first number of
/// bytes, and whose rows lie multiples of the second apart.
inline constexpr std::int64_t kTextureAlignment = 512;
inline constexpr std::int64_t kTexturePitchAlignment = 32;

/// Whether the elements of a texture are floats in memory, not integers.
constexpr bool is_real(ElementType type) {
    return type == ElementType::float16 || type == ElementType::float32;
}

/// How a kernel reads the texels of an array, each of which is one or more elements.
struct TextureSampling {
    enum class Filter : std::uint8_t { point, linear };
    enum class Address : std::uint8_t { clamp, border, wrap, mirror };

    std::uint8_t channels;  ///< elements of a texel: 1, 2 or 4
    Filter filter;
    Address address;
    bool normalized_coordinates;
    bool normalized_values;  ///< integers are read as floats in [-1, 1] or [0, 1]

    auto operator<=>(const TextureSampling&) const = default;
};

/// An array of the caller that kernels take as a texture object in place of its pointer.
struct TextureView {
    std::uint8_t array;  ///< of Launch::array_cells
    ElementType element;
    TextureSampling sampling;
    std::uint32_t width;   ///< in texels, as height and pitch are
    std::uint32_t height;  ///< 0: linear memory, which tex1Dfetch reads; it has no pitch
    std::uint32_t pitch;   ///< from one row to the next
    std::uint64_t bytes;   ///< of the array

    [[nodiscard]] bool is_linear() const { return height == 0; }
    [[nodiscard]] std::uint64_t texel_bytes() const {
        return sampling.channels * bytes_of(element);
    }
    auto operator<=>(const TextureView&) const = default;
};

struct Extent {
    std::uint32_t x, y, z;
};

inline constexpr std::size_t kMaxLaunchSteps = 4;
inline constexpr std::size_t kMaxArguments = 64;
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
    std::uint64_t by_value = 0;
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

/// The addresses of a step's arguments, as cuLaunchKernel takes them. Those of arrays come with
/// each call; all others are addresses of the launch's cells, which must outlive it.
class ArgumentList {
public:
    /// `step` is of `launch`, and `cells` are the launch's own or a copy of them.
    void set(const Launch& launch, const LaunchStep& step, Cells& cells) {
        count_ = step.argument_count;
        array_count_ = 0;
        const auto first = launch.array_cells.begin();
        const auto last = first + launch.array_count;
        for (std::uint8_t i = 0; i < count_; ++i) {
            addresses_[i] = &cells[step.arguments[i]];
            if (const auto array = std::find(first, last, step.arguments[i]); array != last) {
                const auto index = static_cast<std::uint8_t>(array - first);
                arrays_[array_count_++] = {i, index, (launch.by_value >> index & 1) != 0};
            }
        }
    }

    /// Room for the addresses of one call and a null after the last, which says how many there are.
    using Addresses = std::array<void*, kMaxArguments + 1>;

    /// The addresses for one call. The arrays are only read.
    void fill(Addresses& addresses, void* const* arrays) const {
        for (std::size_t i = 0; i < count_; ++i) {
            addresses[i] = addresses_[i];
        }
        addresses[count_] = nullptr;
        for (std::size_t i = 0; i < array_count_; ++i) {
            void* const* const array = arrays + arrays_[i].array;
            addresses[arrays_[i].argument] =
                arrays_[i].by_value ? *array : const_cast<void**>(array);
        }
    }

    [[nodiscard]] int count() const { return count_; }

private:
    /// Says which argument is which array.
    struct ArrayPlace {
        std::uint8_t argument, array;
        bool by_value;
    };

    std::uint8_t count_ = 0, array_count_ = 0;
    std::array<ArrayPlace, kMaxArguments> arrays_;
    std::array<void*, kMaxArguments> addresses_;
};

}  // namespace jitune::internal
