// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace jitune::internal {

/// The number of bytes before the first that does not belong to UTF-8 as RFC 3629 defines it, which
/// has no surrogates, no code point above U+10FFFF and one spelling of each. All bytes:
/// text.size().
std::size_t valid_utf8_bytes(std::string_view text);

/// A character of a text for people.
struct Character {
    std::string_view bytes;
    bool is_space = false;  ///< a space, or a control character of ASCII
    /// True if it is no UTF-8, or if it is invisible and changes the text around it, as controls of
    /// terminals and of the direction of text do.
    bool is_hidden = false;
};

/// Takes the first character, or a byte that is none, from the front of a text that is not empty.
Character take_character(std::string_view& text);

/// The most characters of a text from a database that people are shown.
inline constexpr std::size_t kShownCharacters = 300;

/// U+FFFD and U+2026, for what is hidden and what is left out.
inline constexpr std::string_view kReplacement = "\xef\xbf\xbd";
inline constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

}  // namespace jitune::internal
