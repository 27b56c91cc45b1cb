// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/toml_text.hpp"

#include <fmt/format.h>

namespace jitune::internal {

std::string toml_text(std::string_view content) {
    constexpr char kDelete = 0x7f;
    std::string text = "\"";
    for (const char c : content) {
        const bool ends_comment = c == '/' && text.back() == '*';
        const bool is_control = (c >= 0 && c < ' ') || c == kDelete;
        if (c == '"' || c == '\\') {
            text += '\\';
        }
        if (ends_comment || is_control) {
            text += fmt::format("\\u{:04x}", static_cast<int>(c));
        } else {
            text += c;
        }
    }
    return text + "\"";
}

std::string toml_list(std::span<const std::string> contents) {
    std::string text = "[";
    for (const std::string& content : contents) {
        text += (text.size() > 1 ? ", " : "") + toml_text(content);
    }
    return text + "]";
}

}  // namespace jitune::internal
