// SPDX-License-Identifier: Apache-2.0
#include "jitune/element_type.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "types/element_names.hpp"
#include "types/name_table.hpp"

namespace jitune::internal {

namespace {

struct ElementRow {
    ElementType value;
    std::string_view name;
};
constexpr std::array kElements{
    ElementRow{ElementType::int8, "int8"},       ElementRow{ElementType::uint8, "uint8"},
    ElementRow{ElementType::int16, "int16"},     ElementRow{ElementType::uint16, "uint16"},
    ElementRow{ElementType::int32, "int32"},     ElementRow{ElementType::uint32, "uint32"},
    ElementRow{ElementType::int64, "int64"},     ElementRow{ElementType::uint64, "uint64"},
    ElementRow{ElementType::float16, "float16"}, ElementRow{ElementType::bfloat16, "bfloat16"},
    ElementRow{ElementType::float32, "float32"}, ElementRow{ElementType::float64, "float64"},
};
static_assert(is_complete(kElements, ElementType::float64));
constexpr std::string_view kWhat = "an element type";

constexpr std::uint32_t kMagnitude = 0x7fffffff;
constexpr std::uint32_t kInfinity = 0x7f800000;

/// The upper bits that `dropped` bits are cut off from, rounded to nearest, ties to even. A carry
/// runs into the exponent, as it should.
std::uint32_t round_off(std::uint32_t bits, int dropped) {
    const std::uint32_t just_below_half = (std::uint32_t{1} << (dropped - 1)) - 1;
    return (bits + just_below_half + (bits >> dropped & 1)) >> dropped;
}

std::uint32_t half_magnitude(std::uint32_t magnitude) {
    constexpr std::uint32_t kOverflow = 0x477ff000;        // 65520: rounds to infinity
    constexpr std::uint32_t kSmallestNormal = 0x38800000;  // 2^-14
    constexpr std::uint32_t kRebias = 112 << 10;
    if (magnitude > kInfinity) {
        return 0x7e00 | (magnitude >> 13 & 0x1ff);
    }
    if (magnitude >= kOverflow) {
        return 0x7c00;
    }
    if (magnitude < kSmallestNormal) {
        // The last bit of 0.5f is worth 2^-24, the unit of float16's subnormals.
        return std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
               std::bit_cast<std::uint32_t>(0.5F);
    }
    return round_off(magnitude, 13) - kRebias;
}

}  // namespace

std::span<const ElementType> element_types() {
    static constexpr auto kTypes = [] {
        std::array<ElementType, kElements.size()> types{};
        std::transform(kElements.begin(), kElements.end(), types.begin(),
                       [](const ElementRow& row) { return row.value; });
        return types;
    }();
    return kTypes;
}

std::optional<ElementType> element_type_from(std::string_view name) {
    for (const ElementRow& row : kElements) {
        if (row.name == name) {
            return row.value;
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> type_bytes(std::string_view name) {
    const auto type = element_type_from(name);
    return type ? std::optional(static_cast<std::int64_t>(bytes_of(*type))) : std::nullopt;
}

}  // namespace jitune::internal

JITUNE_BEGIN_NAMESPACE
using namespace internal;

std::string_view to_string(ElementType type) {
    return row_of(kElements, type, kWhat).name;
}

ElementType parse_element_type(std::string_view name) {
    return parse_name(kElements, name, kWhat);
}

float16::float16(float value) {
    const auto whole = std::bit_cast<std::uint32_t>(value);
    bits = static_cast<std::uint16_t>((whole & ~kMagnitude) >> 16 |
                                      half_magnitude(whole & kMagnitude));
}

float16::operator float() const {
    // Shifted into place, the exponent is that of a float32 times 2^-112; the multiplication also
    // makes subnormals right. What is infinite or NaN had the largest exponent.
    const std::uint32_t magnitude = (bits & 0x7fffU) << 13;
    const auto finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
    const std::uint32_t special = (bits & 0x7c00U) == 0x7c00U ? kInfinity : 0;
    return std::bit_cast<float>(finite | special | (bits & 0x8000U) << 16);
}

bfloat16::bfloat16(float value) {
    constexpr std::uint32_t kQuiet = 0x0040;
    const auto whole = std::bit_cast<std::uint32_t>(value);
    const bool nan = (whole & kMagnitude) > kInfinity;
    bits = static_cast<std::uint16_t>(nan ? whole >> 16 | kQuiet : round_off(whole, 16));
}

bfloat16::operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

JITUNE_END_NAMESPACE
