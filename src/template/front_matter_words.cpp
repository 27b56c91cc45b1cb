// SPDX-License-Identifier: Apache-2.0
#include "template/front_matter_words.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "types/element_names.hpp"

namespace jitune::internal {

namespace {

struct AccessWord {
    std::string_view word;
    Access access;
};
constexpr std::array kAccessWords{
    AccessWord{"in", Access::in},           AccessWord{"out", Access::out},
    AccessWord{"inout", Access::inout},     AccessWord{"value", Access::value},
    AccessWord{"scratch", Access::scratch}, AccessWord{"zeroed", Access::zeroed},
    AccessWord{"scalar", Access::scalar},
};

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

std::optional<Access> access_from(std::string_view word) {
    const auto* const row = std::find_if(kAccessWords.begin(), kAccessWords.end(),
                                         [&](const AccessWord& one) { return one.word == word; });
    return row == kAccessWords.end() ? std::nullopt : std::optional(row->access);
}

bool is_identifier(std::string_view text) {
    return is_word(text, "", 64);
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

std::optional<std::int64_t> type_bytes(std::string_view name) {
    const auto type = element_type_from(name);
    return type ? std::optional(static_cast<std::int64_t>(bytes_of(*type))) : std::nullopt;
}

}  // namespace jitune::internal
