// SPDX-License-Identifier: Apache-2.0
#include "template/name_rules.hpp"

#include <algorithm>
#include <charconv>

namespace jitune::internal {

namespace {

/// True for a letter or _, then letters, digits, _ and `others`; at most `longest` characters.
/// By hand: a std::regex costs every first call of a process milliseconds.
bool is_word(std::string_view text, std::string_view others, std::size_t longest) {
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !text.empty() && text.size() <= longest && is_letter(text.front()) &&
           std::all_of(text.begin(), text.end(), [&](char c) {
               return is_letter(c) || (c >= '0' && c <= '9') ||
                      others.find(c) != std::string_view::npos;
           });
}

}  // namespace

bool is_identifier(std::string_view text) {
    return is_word(text, "", 64);
}

bool is_type_name(std::string_view text) {
    constexpr std::size_t kLongest = 1000;
    return !text.empty() && text.size() <= kLongest &&
           std::all_of(text.begin(), text.end(), [](char c) {
               return c >= ' ' && c <= '~' && c != '"' && c != '\'' && c != '\\';
           });
}

std::optional<std::pair<std::int64_t, std::int64_t>> integer_range(std::string_view text) {
    const char* const end = text.data() + text.size();
    std::pair<std::int64_t, std::int64_t> range{-1, -1};
    const char* const dots = std::from_chars(text.data(), end, range.first).ptr;
    if (!std::string_view(dots, end).starts_with("..") ||
        std::from_chars(dots + 2, end, range.second).ptr != end || range.first < 0 ||
        range.second < range.first || range.second > kHighestInRange ||
        range.second - range.first >= kMostInRange) {
        return std::nullopt;
    }
    return range;
}

bool is_type_text(std::string_view text) {
    return is_word(text, ": ", 128);
}

}  // namespace jitune::internal
