// SPDX-License-Identifier: Apache-2.0
#include "report/escape.hpp"

namespace jitune::internal {

namespace {

std::string_view entity_of(char character) {
    switch (character) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\'':
            return "&#39;";
        default:
            return {};
    }
}

void append(std::string& html, const Character& character) {
    if (character.is_space) {
        html += html.ends_with(' ') ? "" : " ";
    } else if (character.is_hidden) {
        html += kReplacement;
    } else if (const auto entity = entity_of(character.bytes[0]); !entity.empty()) {
        html += entity;
    } else {
        html += character.bytes;
    }
}

}  // namespace

std::string escaped(std::string_view text, std::size_t most) {
    std::string html;
    std::size_t shown = 0;
    while (!text.empty()) {
        if (shown++ == most) {
            return html.append(kEllipsis);
        }
        append(html, take_character(text));
    }
    return html;
}

}  // namespace jitune::internal
