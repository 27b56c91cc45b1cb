// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "jitune/export.hpp"

// CUDA's own types, of cuda_fp16.h and cuda_bf16.h.
struct __half;         // NOLINT(bugprone-reserved-identifier)
struct __nv_bfloat16;  // NOLINT(bugprone-reserved-identifier)

JITUNE_BEGIN_NAMESPACE

/// The types that jitune's kernels read and write. A bool is a uint8.
enum class ElementType : std::uint8_t {
    int8,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    float16,   ///< IEEE 754 binary16
    bfloat16,  ///< the upper half of a float32
    float32,
    float64,
};

/// "int8", "float16" …
JITUNE_API std::string_view to_string(ElementType type);

/// Throws Error(usage) with the list of known names.
JITUNE_API ElementType parse_element_type(std::string_view name);

/// The size of one element in bytes; 0 for a value outside the enum.
[[nodiscard]] constexpr std::size_t bytes_of(ElementType type) {
    constexpr std::uint64_t kLogs = 0x3211'3322'1100;  // 4 bits for each, the first the lowest
    const auto index = static_cast<unsigned>(type);
    return index < 12 ? std::size_t{1} << (kLogs >> (4 * index) & 0xf) : 0;
}

/// 16-bit floats in host memory, by their bits; the layout of CUDA's __half and __nv_bfloat16,
/// which are accepted wherever these are. Conversion from float rounds to nearest, ties to even.
struct JITUNE_API float16 {
    std::uint16_t bits = 0;
    float16() = default;
    explicit float16(float value);
    explicit operator float() const;
};
struct JITUNE_API bfloat16 {
    std::uint16_t bits = 0;
    bfloat16() = default;
    explicit bfloat16(float value);
    explicit operator float() const;
};

namespace detail {

template <ElementType element, class Result>
struct ElementRule {
    static constexpr ElementType kElement = element;
    using Reduced = Result;  ///< the default result type of reductions
};

template <ElementType element>
using SignedRule = ElementRule<element, std::int32_t>;
template <ElementType element>
using UnsignedRule = ElementRule<element, std::uint32_t>;
template <ElementType element>
using FloatRule = ElementRule<element, float>;

template <class T>
struct ElementOf {};
template <>
struct ElementOf<bool> : UnsignedRule<ElementType::uint8> {};
template <>
struct ElementOf<std::int8_t> : SignedRule<ElementType::int8> {};
template <>
struct ElementOf<std::uint8_t> : UnsignedRule<ElementType::uint8> {};
template <>
struct ElementOf<std::int16_t> : SignedRule<ElementType::int16> {};
template <>
struct ElementOf<std::uint16_t> : UnsignedRule<ElementType::uint16> {};
template <>
struct ElementOf<std::int32_t> : SignedRule<ElementType::int32> {};
template <>
struct ElementOf<std::uint32_t> : UnsignedRule<ElementType::uint32> {};
template <>
struct ElementOf<long> : ElementRule<ElementType::int64, long> {};
template <>
struct ElementOf<long long> : ElementRule<ElementType::int64, long long> {};
template <>
struct ElementOf<unsigned long> : ElementRule<ElementType::uint64, unsigned long> {};
template <>
struct ElementOf<unsigned long long> : ElementRule<ElementType::uint64, unsigned long long> {};
template <>
struct ElementOf<float16> : FloatRule<ElementType::float16> {};
template <>
struct ElementOf<::__half> : FloatRule<ElementType::float16> {};
template <>
struct ElementOf<bfloat16> : FloatRule<ElementType::bfloat16> {};
template <>
struct ElementOf<::__nv_bfloat16> : FloatRule<ElementType::bfloat16> {};
template <>
struct ElementOf<float> : FloatRule<ElementType::float32> {};
template <>
struct ElementOf<double> : ElementRule<ElementType::float64, double> {};

}  // namespace detail

/// A C++ type whose values are elements: one for each ElementType, and the types with its layout.
template <class T>
concept Element = requires {
    { detail::ElementOf<T>::kElement } -> std::convertible_to<ElementType>;
};

template <Element T>
inline constexpr ElementType kElementType = detail::ElementOf<T>::kElement;

/// The default result type of a reduction of T: int32 or uint32 for integers of up to 32 bits,
/// float for floats of up to 32 bits, else T.
template <Element T>
using ReducedType = typename detail::ElementOf<T>::Reduced;

JITUNE_END_NAMESPACE
