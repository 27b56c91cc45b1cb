// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Texts of "name=value" settings with a space between them, as the columns of the database have
/// them. A value that holds spaces stands in quotes: `element=float32 formula="sum(x * y)"`.
namespace jitune::internal {

/// One setting. The value must hold no quote.
std::string setting_text(std::string_view name, std::string_view value);

/// The settings, as they stand.
std::vector<std::string_view> settings_of(std::string_view text);

/// The value of a setting, without its quotes; empty: there is none.
std::string_view value_of_setting(std::string_view setting);

/// The value of the setting of that name; empty: there is none.
std::string_view setting_of(std::string_view text, std::string_view name);

/// The same as a whole number; nothing if it is none.
std::optional<std::int64_t> number_of(std::string_view text, std::string_view name);

}  // namespace jitune::internal
