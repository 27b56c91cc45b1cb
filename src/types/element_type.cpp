// SPDX-License-Identifier: Apache-2.0
#include "jitune/element_type.hpp"

#include <array>

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
constexpr std::string_view kWhat = "an element type";

}  // namespace

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

JITUNE_END_NAMESPACE
