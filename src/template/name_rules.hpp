// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace jitune::internal {

/// [A-Za-z_][A-Za-z0-9_]*, at most 64 characters.
bool is_identifier(std::string_view text);

/// True for what names the type of a type parameter: printable ASCII without quotes and
/// backslashes, at most 1000 characters. The name is for people, the code has the type's text.
bool is_type_name(std::string_view text);

/// The names of the objectives that every template has. No metric may have one of these names.
inline constexpr std::array<std::string_view, 3> kObjectiveNames{"time", "energy", "edp"};

/// Bounds of the ranges of type parameters that are integers.
inline constexpr std::int64_t kHighestInRange = 1 << 20;
inline constexpr std::int64_t kMostInRange = 4096;

/// The first and the last integer of a range such as "1..32". Nothing for text that is not a range,
/// for an empty range, and for a range beyond the bounds above.
std::optional<std::pair<std::int64_t, std::int64_t>> integer_range(std::string_view text);

/// True for text that may name a type, an enumeration or a function: identifiers, "::" and spaces,
/// at most 128 characters.
bool is_type_text(std::string_view text);

}  // namespace jitune::internal
