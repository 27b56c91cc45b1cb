// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include "jitune/element_type.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

/// Calls `use` with a value of the C++ type that an element type stands for.
template <class Use>
auto visit_element(ElementType type, Use&& use) {
    switch (type) {
        case ElementType::int8:
            return use(std::int8_t{});
        case ElementType::uint8:
            return use(std::uint8_t{});
        case ElementType::int16:
            return use(std::int16_t{});
        case ElementType::uint16:
            return use(std::uint16_t{});
        case ElementType::int32:
            return use(std::int32_t{});
        case ElementType::uint32:
            return use(std::uint32_t{});
        case ElementType::int64:
            return use(std::int64_t{});
        case ElementType::uint64:
            return use(std::uint64_t{});
        case ElementType::float16:
            return use(float16{});
        case ElementType::bfloat16:
            return use(bfloat16{});
        case ElementType::float32:
            return use(float{});
        case ElementType::float64:
            return use(double{});
    }
    throw Error(ErrorKind::usage,
                std::to_string(static_cast<int>(type)) + " is not an element type");
}

/// A value as it is printed and compared: integers as they are, floats as double. `bytes` may have
/// any alignment.
template <class T>
auto readable_element(std::span<const std::byte> bytes, std::size_t index) {
    T value;
    std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof value);
    if constexpr (std::is_integral_v<T>) {
        return value;
    } else if constexpr (std::is_floating_point_v<T>) {
        return static_cast<double>(value);
    } else {
        return static_cast<double>(static_cast<float>(value));
    }
}

}  // namespace jitune::internal
