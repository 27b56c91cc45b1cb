// SPDX-License-Identifier: Apache-2.0
#include "text/fitted_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace jitune::internal {

namespace {

bool begins_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

/// Where the character of that number begins; the end of the text where it has fewer.
std::size_t place_of(std::string_view text, std::size_t character) {
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        if (begins_character(text[at]) && character-- == 0) {
            return at;
        }
    }
    return at;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string fitted_begin(std::string_view text, std::size_t columns) {
    const std::size_t end = place_of(text, columns);
    if (end == text.size() || columns == 0) {
        return std::string(text.substr(0, end));
    }
    return std::string(text.substr(0, place_of(text, columns - 1))) + "…";
}

std::string fitted_ends(std::string_view text, std::size_t columns) {
    constexpr std::string_view kLeftOut = "...";
    const std::size_t length = columns_of(text);
    if (length <= columns) {
        return std::string(text);
    }
    if (columns <= 2 * kLeftOut.size()) {
        return std::string(text.substr(0, place_of(text, columns)));
    }
    const std::size_t end = (columns - kLeftOut.size()) / 2;
    const std::size_t begin = columns - kLeftOut.size() - end;
    return fmt::format("{}{}{}", text.substr(0, place_of(text, begin)), kLeftOut,
                       text.substr(place_of(text, length - end)));
}

}  // namespace jitune::internal
