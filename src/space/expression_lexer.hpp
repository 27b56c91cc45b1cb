// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jitune::internal {

struct Token {
    enum class Kind { end, integer, real, text, name, symbol };

    /// True if this is the symbol, or the keyword in upper or lower case.
    [[nodiscard]] bool is(std::string_view spelling) const {
        return kind == Kind::symbol && symbol == spelling;
    }

    Kind kind = Kind::end;
    std::string_view source;  ///< as written; a text without its quotes
    std::string_view symbol;  ///< of a symbol or keyword, in its one spelling: "=", "!=", "AND"
    std::size_t begin = 0;    ///< offset of the first byte
    std::size_t end = 0;
};

/// Cuts the text of an expression into tokens, one ahead of its reader. Keeps a view of the text.
class ExpressionLexer {
public:
    explicit ExpressionLexer(std::string_view text) : text_(text) { advance(); }

    [[nodiscard]] const Token& current() const { return current_; }
    /// Returns the current token and reads the next. Throws Error(usage) for what is no token.
    Token take();

    [[nodiscard]] std::string_view text() const { return text_; }
    /// Throws Error(usage): the text, the position, `message`.
    [[noreturn]] void fail(std::size_t offset, const std::string& message) const;

private:
    void advance();
    Token number(std::size_t begin) const;
    Token text_literal(std::size_t begin) const;
    Token word(std::size_t begin) const;
    Token symbol(std::size_t begin) const;

    std::string_view text_;
    Token current_;
};

/// Compares ASCII letters in any case.
bool same_word(std::string_view a, std::string_view b);

/// True for what a text may be: ASCII letters, digits and _, without a digit first.
bool is_text_content(std::string_view text);

}  // namespace jitune::internal
