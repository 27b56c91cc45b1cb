// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "jitune/element_type.hpp"

namespace jitune::internal {

/// All element types, in the order of the enumeration.
std::span<const ElementType> element_types();

/// The element type of a name, or nothing; parse_element_type() throws instead.
std::optional<ElementType> element_type_from(std::string_view name);

/// Bytes of a type name such as "int32" or "float64"; nothing for any other name.
std::optional<std::int64_t> type_bytes(std::string_view name);

}  // namespace jitune::internal
