// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/python_lexer.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

using TokenKind = PythonToken::Kind;

constexpr std::size_t kShownOfPython = 500;  // of an expression in a message

// A symbol comes before those that it begins with.
constexpr std::array<std::string_view, 30> kPythonSymbols{
    "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "<>", "&&", "||", "+", "-", "*", "/",
    "%",  "<",  ">",  "(",  ")",  "[",  "]",  ",",  "!",  "&",  "|",  "^", "~", ".", ":"};

bool is_digit_of_python(char c) {
    return c >= '0' && c <= '9';
}

bool is_word_of_python(char c) {
    return is_digit_of_python(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

void refuse_python(std::string_view text, std::size_t offset, const std::string& message) {
    throw Error(ErrorKind::usage,
                fmt::format("expression \"{}{}\", position {}: {}", text.substr(0, kShownOfPython),
                            text.size() > kShownOfPython ? "…" : "", offset + 1, message));
}

PythonToken PythonLexer::take() {
    const PythonToken taken = current_;
    advance();
    return taken;
}

void PythonLexer::advance() {
    const std::size_t begin =
        std::min(text_.find_first_not_of(" \t\r\n", current_.end), text_.size());
    const auto at = [&](std::size_t i) { return i < text_.size() ? text_[i] : '\0'; };
    if (begin == text_.size()) {
        current_ = {TokenKind::end, "", 0, 0, begin, begin};
    } else if (is_digit_of_python(at(begin)) ||
               (at(begin) == '.' && is_digit_of_python(at(begin + 1)))) {
        current_ = number(begin);
    } else if (is_word_of_python(at(begin))) {
        current_ = word(begin);
    } else if (at(begin) == '\'' || at(begin) == '"') {
        current_ = text_literal(begin);
    } else {
        current_ = symbol(begin);
    }
}

PythonToken PythonLexer::number(std::size_t begin) const {
    const auto at = [this](std::size_t i) { return i < text_.size() ? text_[i] : '\0'; };
    PythonToken token{TokenKind::integer, "", 0, 0, begin, begin};
    const char* const first = text_.data() + begin;
    const char* const last = text_.data() + text_.size();
    const bool is_hexadecimal = at(begin) == '0' && (at(begin + 1) == 'x' || at(begin + 1) == 'X');
    const auto whole = is_hexadecimal ? std::from_chars(first + 2, last, token.integer, 16)
                                      : std::from_chars(first, last, token.integer);
    auto end = whole.ptr;
    auto error = whole.ec;
    const char next = end == last ? '\0' : *end;
    if (!is_hexadecimal && (next == '.' || next == 'e' || next == 'E')) {
        const auto real = std::from_chars(first, last, token.real);
        token.kind = TokenKind::real;
        end = real.ptr;
        error = real.ec;
    }
    token.end = static_cast<std::size_t>(end - text_.data());
    if (error == std::errc::result_out_of_range) {
        refuse_python(text_, begin, "this number is too large: integers have 63 bits");
    }
    if (error != std::errc() || is_word_of_python(at(token.end)) || at(token.end) == '.') {
        refuse_python(text_, begin, "this is not a number as in 12, 0x10 or 1.5");
    }
    token.source = text_.substr(begin, token.end - begin);
    return token;
}

PythonToken PythonLexer::text_literal(std::size_t begin) const {
    const std::size_t quote = text_.find(text_[begin], begin + 1);
    if (quote == std::string_view::npos) {
        refuse_python(text_, begin, "expected a second quote to end this text");
    }
    const std::string_view content = text_.substr(begin + 1, quote - begin - 1);
    if (content.find('\\') != std::string_view::npos) {
        refuse_python(text_, begin, "\"\\\" in a text is not supported: leave it out");
    }
    return {TokenKind::text, content, 0, 0, begin, quote + 1};
}

PythonToken PythonLexer::word(std::size_t begin) const {
    std::size_t end = begin;
    while (end < text_.size() && is_word_of_python(text_[end])) {
        ++end;
    }
    return {TokenKind::name, text_.substr(begin, end - begin), 0, 0, begin, end};
}

PythonToken PythonLexer::symbol(std::size_t begin) const {
    const std::string_view rest = text_.substr(begin);
    const auto* const found =
        std::find_if(kPythonSymbols.begin(), kPythonSymbols.end(),
                     [rest](std::string_view row) { return rest.starts_with(row); });
    if (found == kPythonSymbols.end()) {
        refuse_python(text_, begin,
                      fmt::format("'{}' has no meaning in an expression", rest.front()));
    }
    return {TokenKind::symbol, rest.substr(0, found->size()), 0, 0, begin, begin + found->size()};
}

}  // namespace jitune::internal
