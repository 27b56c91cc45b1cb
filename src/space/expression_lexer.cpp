// SPDX-License-Identifier: Apache-2.0
#include "space/expression_lexer.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kShown = 500;  // of an expression in a message

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_word_character(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

char upper(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

constexpr std::array<std::string_view, 4> kKeywords{"AND", "OR", "NOT", "IN"};

struct Symbol {
    std::string_view spelling;
    std::string_view meaning;  ///< empty: refused, with the advice
    std::string_view advice = "";
};

// A symbol comes before those that it begins with.
constexpr std::array kSymbols{
    Symbol{"&&", "", "SQL spells it AND"},
    Symbol{"||", "", "SQL joins text with it; SQL's \"or\" is OR"},
    Symbol{"**", "", "SQL has no powers: write a product"},
    Symbol{"//", "", "SQL spells it /, which divides integers towards zero"},
    Symbol{"--", "", "SQL reads a comment here: put a space between"},
    Symbol{"/*", "", "SQL reads a comment here: leave it out"},
    Symbol{"<<", "", "shifts are not supported: multiply by a power of two"},
    Symbol{">>", "", "shifts are not supported: divide by a power of two"},
    Symbol{"<=", "<="},
    Symbol{">=", ">="},
    Symbol{"<>", "!="},
    Symbol{"!=", "!="},
    Symbol{"==", "="},
    Symbol{"<", "<"},
    Symbol{">", ">"},
    Symbol{"=", "="},
    Symbol{"+", "+"},
    Symbol{"-", "-"},
    Symbol{"*", "*"},
    Symbol{"/", "/"},
    Symbol{"%", "%"},
    Symbol{"(", "("},
    Symbol{")", ")"},
    Symbol{",", ","},
    Symbol{"!", "", "SQL spells it NOT"},
    Symbol{"&", "", "SQL's \"and\" is AND; bit operations are not supported"},
    Symbol{"|", "", "SQL's \"or\" is OR; bit operations are not supported"},
    Symbol{"^", "", "SQL has no powers: write a product"},
    Symbol{"\"", "", "write names without quotes and text as 'text'"},
    Symbol{".", "", "write a number with a digit before and after the point"},
};

}  // namespace

bool same_word(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return upper(x) == upper(y); });
}

bool is_text_content(std::string_view text) {
    return !text.empty() && !is_digit(text.front()) &&
           std::all_of(text.begin(), text.end(), is_word_character);
}

Token ExpressionLexer::take() {
    const Token taken = current_;
    advance();
    return taken;
}

void ExpressionLexer::fail(std::size_t offset, const std::string& message) const {
    throw Error(ErrorKind::usage,
                fmt::format("expression \"{}{}\", position {}: {}", text_.substr(0, kShown),
                            text_.size() > kShown ? "…" : "", offset + 1, message));
}

void ExpressionLexer::advance() {
    const std::size_t begin =
        std::min(text_.find_first_not_of(" \t\r\n", current_.end), text_.size());
    if (begin == text_.size()) {
        current_ = Token{Token::Kind::end, "", "", begin, begin};
    } else if (is_digit(text_[begin])) {
        current_ = number(begin);
    } else if (is_word_character(text_[begin])) {
        current_ = word(begin);
    } else if (text_[begin] == '\'') {
        current_ = text_literal(begin);
    } else {
        current_ = symbol(begin);
    }
}

Token ExpressionLexer::number(std::size_t begin) const {
    const auto at = [this](std::size_t i) { return i < text_.size() ? text_[i] : '\0'; };
    std::size_t end = begin;
    const auto digits = [&] {
        while (is_digit(at(end))) {
            ++end;
        }
    };
    digits();
    Token::Kind kind = Token::Kind::integer;
    if (at(end) == '.' && is_digit(at(end + 1))) {
        kind = Token::Kind::real;
        ++end;
        digits();
    }
    if (at(end) == 'e' || at(end) == 'E') {
        const std::size_t sign = at(end + 1) == '-' || at(end + 1) == '+' ? 1 : 0;
        if (is_digit(at(end + 1 + sign))) {
            kind = Token::Kind::real;
            end += 1 + sign;
            digits();
        }
    }
    if (is_word_character(at(end)) || at(end) == '.') {
        fail(end, fmt::format("expected the number {} to end here, found '{}'",
                              text_.substr(begin, end - begin), at(end)));
    }
    return Token{kind, text_.substr(begin, end - begin), "", begin, end};
}

Token ExpressionLexer::text_literal(std::size_t begin) const {
    const std::size_t quote = text_.find('\'', begin + 1);
    if (quote == std::string_view::npos) {
        fail(begin, "expected a second ' to end this text");
    }
    const std::string_view content = text_.substr(begin + 1, quote - begin - 1);
    if (!is_text_content(content)) {
        fail(begin,
             "expected a text of letters, digits and _ between the quotes, without a digit first");
    }
    return Token{Token::Kind::text, content, "", begin, quote + 1};
}

Token ExpressionLexer::word(std::size_t begin) const {
    std::size_t end = begin;
    while (end < text_.size() && is_word_character(text_[end])) {
        ++end;
    }
    const std::string_view source = text_.substr(begin, end - begin);
    const auto keyword =
        std::find_if(kKeywords.begin(), kKeywords.end(),
                     [source](std::string_view row) { return same_word(row, source); });
    return keyword != kKeywords.end() ? Token{Token::Kind::symbol, source, *keyword, begin, end}
                                      : Token{Token::Kind::name, source, "", begin, end};
}

Token ExpressionLexer::symbol(std::size_t begin) const {
    const std::string_view rest = text_.substr(begin);
    const auto found = std::find_if(kSymbols.begin(), kSymbols.end(), [rest](const Symbol& row) {
        return rest.starts_with(row.spelling);
    });
    if (found == kSymbols.end()) {
        fail(begin, fmt::format("'{}' has no meaning in an expression", rest.front()));
    }
    if (found->meaning.empty()) {
        fail(begin, fmt::format("'{}' is refused: {}", found->spelling, found->advice));
    }
    return Token{Token::Kind::symbol, rest.substr(0, found->spelling.size()), found->meaning, begin,
                 begin + found->spelling.size()};
}

}  // namespace jitune::internal
