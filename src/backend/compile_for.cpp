// SPDX-License-Identifier: Apache-2.0
#include "backend/compile_for.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace jitune::internal {
namespace {

bool is_plain_word(std::string_view word) {
    constexpr std::string_view kPlain = "_-+=./:,@%";
    return !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               kPlain.find(c) != std::string_view::npos;
    });
}

}  // namespace

std::string shell_text(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += text.empty() ? "" : " ";
        if (is_plain_word(word)) {
            text += word;
            continue;
        }
        text += '\'';
        for (const char c : word) {
            text += c == '\'' ? std::string("'\\''") : std::string(1, c);
        }
        text += '\'';
    }
    return text;
}

}  // namespace jitune::internal
