// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

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

}  // namespace jitune::internal
