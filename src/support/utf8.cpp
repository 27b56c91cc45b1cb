// SPDX-License-Identifier: Apache-2.0
#include "support/utf8.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace jitune::internal {

namespace {

/// Characters that begin with a byte of a range.
struct Lead {
    unsigned char first, last;
    std::size_t bytes;
    unsigned char second_first, second_last;  ///< the range of the second byte
};

constexpr std::array kLeads{
    Lead{0x00, 0x7f, 1, 0x00, 0x00}, Lead{0xc2, 0xdf, 2, 0x80, 0xbf},
    Lead{0xe0, 0xe0, 3, 0xa0, 0xbf}, Lead{0xe1, 0xec, 3, 0x80, 0xbf},
    Lead{0xed, 0xed, 3, 0x80, 0x9f}, Lead{0xee, 0xef, 3, 0x80, 0xbf},
    Lead{0xf0, 0xf0, 4, 0x90, 0xbf}, Lead{0xf1, 0xf3, 4, 0x80, 0xbf},
    Lead{0xf4, 0xf4, 4, 0x80, 0x8f},
};

bool is_between(char byte, unsigned char first, unsigned char last) {
    const auto value = static_cast<unsigned char>(byte);
    return first <= value && value <= last;
}

/// The bytes of the character at the front of `text`, which is not empty; 0 if there is none.
std::size_t character_bytes(std::string_view text) {
    const auto* const lead = std::find_if(kLeads.begin(), kLeads.end(), [&](const Lead& row) {
        return is_between(text[0], row.first, row.last);
    });
    if (lead == kLeads.end() || text.size() < lead->bytes) {
        return 0;
    }
    for (std::size_t i = 1; i < lead->bytes; ++i) {
        if (!is_between(text[i], i == 1 ? lead->second_first : 0x80,
                        i == 1 ? lead->second_last : 0xbf)) {
            return 0;
        }
    }
    return lead->bytes;
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
    constexpr std::array<std::pair<char32_t, char32_t>, 7> kHidden{{
        {0x80, 0x9f},      // control characters
        {0x61c, 0x61c},    // marks of direction
        {0x200e, 0x200f},  // more of them
        {0x2028, 0x202e},  // line separators, embeddings, overrides
        {0x2066, 0x2069},  // isolates
        {0xfeff, 0xfeff},
        {0xfffe, 0xffff},
    }};
    return std::any_of(kHidden.begin(), kHidden.end(), [&](const auto& range) {
        return range.first <= code && code <= range.second;
    });
}

}  // namespace

Character take_character(std::string_view& text) {
    const std::size_t bytes = character_bytes(text);
    Character character{text.substr(0, std::max<std::size_t>(bytes, 1))};
    const auto lead = static_cast<unsigned char>(text[0]);
    character.is_space = lead <= ' ' || lead == 0x7f;
    character.is_hidden = bytes == 0 || is_hidden(code_point(character.bytes));
    text.remove_prefix(character.bytes.size());
    return character;
}

std::size_t valid_utf8_bytes(std::string_view text) {
    std::size_t valid = 0;
    while (valid < text.size()) {
        const std::size_t bytes = character_bytes(text.substr(valid));
        if (bytes == 0) {
            break;
        }
        valid += bytes;
    }
    return valid;
}

}  // namespace jitune::internal
