// SPDX-License-Identifier: Apache-2.0
#include "families/entropy/level_bytes.hpp"

#include <algorithm>
#include <bit>

namespace jitune::internal {

namespace {

// Written with conditional expressions only, so that compilers vectorize the loops.

std::uint8_t level_of(std::uint8_t element, int highest) {
    return std::min(element, static_cast<std::uint8_t>(highest));
}

std::uint8_t level_of(std::int32_t element, int highest) {
    element = element < 0 ? 0 : element;
    return static_cast<std::uint8_t>(element < highest ? element : highest);
}

std::uint8_t level_of(float element, int highest) {
    constexpr float kIntegersFrom = 8388608;  // 2^23: floats have no fraction from here on
    const auto most = static_cast<float>(highest);
    element = element > 0 ? element : 0;
    element = element < most ? element : most;
    return static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(element + kIntegersFrom));
}

template <class T>
void convert(const void* elements, std::size_t count, int levels, std::uint8_t* to) {
    const auto* const from = static_cast<const T*>(elements);
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = level_of(from[i], levels - 1);
    }
}

}  // namespace

void write_level_bytes(const void* elements, ElementType type, std::size_t count, int levels,
                       std::uint8_t* to) {
    if (type == ElementType::float32) {
        convert<float>(elements, count, levels, to);
    } else if (type == ElementType::int32) {
        convert<std::int32_t>(elements, count, levels, to);
    } else {
        convert<std::uint8_t>(elements, count, levels, to);
    }
}

}  // namespace jitune::internal
