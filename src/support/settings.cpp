// SPDX-License-Identifier: Apache-2.0
#include "support/settings.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace jitune::internal {

std::string setting_text(std::string_view name, std::string_view value) {
    const std::string_view quote = value.find(' ') == std::string_view::npos ? "" : "\"";
    return fmt::format("{}={}{}{}", name, quote, value, quote);
}

std::vector<std::string_view> settings_of(std::string_view text) {
    std::vector<std::string_view> settings;
    while (!text.empty()) {
        const std::size_t space = text.find(' ');
        const std::size_t sign = text.substr(0, space).find('=');
        const bool is_quoted =
            sign != std::string_view::npos && text.substr(sign + 1).starts_with('"');
        const std::size_t end =
            std::min(is_quoted ? text.find(' ', text.find('"', sign + 2)) : space, text.size());
        settings.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return settings;
}

std::string_view value_of_setting(std::string_view setting) {
    const std::size_t sign = setting.find('=');
    if (sign == std::string_view::npos) {
        return {};
    }
    const std::string_view value = setting.substr(sign + 1);
    const bool is_quoted = value.size() >= 2 && value.starts_with('"') && value.ends_with('"');
    return is_quoted ? value.substr(1, value.size() - 2) : value;
}

std::string_view setting_of(std::string_view text, std::string_view name) {
    for (const std::string_view setting : settings_of(text)) {
        if (setting.starts_with(name) && setting.substr(name.size()).starts_with('=')) {
            return value_of_setting(setting);
        }
    }
    return {};
}

std::optional<std::int64_t> number_of(std::string_view text, std::string_view name) {
    const std::string_view value = setting_of(text, name);
    const char* const end = value.data() + value.size();
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    return error == std::errc() && stop == end && !value.empty() ? std::optional(number)
                                                                 : std::nullopt;
}

}  // namespace jitune::internal
