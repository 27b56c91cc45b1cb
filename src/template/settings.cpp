// SPDX-License-Identifier: Apache-2.0
#include "template/settings.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jitune::internal {

std::vector<std::string_view> settings_of(std::string_view text) {
    std::vector<std::string_view> settings;
    while (!text.empty()) {
        const auto end = std::min(text.find(' '), text.size());
        settings.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return settings;
}

std::string_view setting_of(std::string_view text, std::string_view name) {
    for (const std::string_view setting : settings_of(text)) {
        if (setting.starts_with(name) && setting.substr(name.size()).starts_with('=')) {
            return setting.substr(name.size() + 1);
        }
    }
    return {};
}

std::string readable_types(std::string_view types) {
    constexpr std::array<std::string_view, 6> kOrder{"element", "operation", "accumulator",
                                                     "result",  "",          "determinism"};
    const auto place = [&](std::string_view setting) {
        const auto found =
            std::find(kOrder.begin(), kOrder.end(), setting.substr(0, setting.find('=')));
        return found == kOrder.end() ? std::find(kOrder.begin(), kOrder.end(), "") : found;
    };
    std::vector<std::string_view> settings = settings_of(types);
    std::stable_sort(settings.begin(), settings.end(),
                     [&](auto left, auto right) { return place(left) < place(right); });
    return fmt::format("{}", fmt::join(settings, " "));
}

}  // namespace jitune::internal
