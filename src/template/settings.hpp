// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jitune::internal {

/// The "name=value" settings of a text that separates them by spaces.
std::vector<std::string_view> settings_of(std::string_view text);

/// The value of the setting of that name; empty: there is none.
std::string_view setting_of(std::string_view text, std::string_view name);

/// A types_text(), which keys have sorted by name, in the order in which people read it: element,
/// operation, accumulator, result, then the others as they come, determinism last.
std::string readable_types(std::string_view types);

}  // namespace jitune::internal
