#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "engine/front_matter.hpp"

namespace jitune {

/// The access of a word such as "in", or nothing.
std::optional<Access> access_from(std::string_view word);

/// What expressions of a backend's templates may name beside the template's own words.
const std::set<std::string>& device_attributes(std::string_view backend);

/// [A-Za-z_][A-Za-z0-9_]*, at most 64 characters.
bool is_identifier(std::string_view text);

/// What may stand for a type, an enumeration or a function: identifiers, "::" and spaces.
bool is_type_text(std::string_view text);

}  // namespace jitune
