// SPDX-License-Identifier: Apache-2.0
#include "report/escape.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "support/utf8.hpp"

namespace jitune::internal {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

/// The bytes of the character of valid UTF-8 at the front.
std::size_t width_of(char lead) {
    const auto byte = static_cast<unsigned char>(lead);
    return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

char32_t code_point(std::string_view character) {
    constexpr std::array<unsigned, 5> kLeadBits{0, 0x7f, 0x1f, 0x0f, 0x07};
    char32_t code = static_cast<unsigned char>(character[0]) & kLeadBits.at(character.size());
    for (const char byte : character.substr(1)) {
        code = code << 6 | (static_cast<unsigned char>(byte) & 0x3fU);
    }
    return code;
}

bool is_hidden(char32_t code) {
    constexpr std::array<std::pair<char32_t, char32_t>, 6> kHidden{{
        {0x7f, 0x9f},      // control characters
        {0x200e, 0x200f},  // marks of direction
        {0x2028, 0x202e},  // line separators, embeddings, overrides
        {0x2066, 0x2069},  // isolates
        {0xfeff, 0xfeff},
        {0xfffe, 0xffff},
    }};
    return std::any_of(kHidden.begin(), kHidden.end(), [&](const auto& range) {
        return range.first <= code && code <= range.second;
    });
}

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

void append(std::string& html, std::string_view character) {
    const char lead = character[0];
    if (character.size() == 1 && static_cast<unsigned char>(lead) <= ' ') {
        html += html.ends_with(' ') ? "" : " ";
    } else if (const std::string_view entity = entity_of(lead); !entity.empty()) {
        html += entity;
    } else {
        html += is_hidden(code_point(character)) ? kReplacement : character;
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
        // A character has at most four bytes.
        const bool valid = valid_utf8_bytes(text.substr(0, 4)) >= width_of(text[0]);
        const std::size_t width = valid ? width_of(text[0]) : 1;
        if (valid) {
            append(html, text.substr(0, width));
        } else {
            html += kReplacement;
        }
        text.remove_prefix(width);
    }
    return html;
}

}  // namespace jitune::internal
