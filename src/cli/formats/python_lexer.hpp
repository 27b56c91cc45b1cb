// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace jitune::internal {

struct PythonToken {
    enum class Kind { end, integer, real, text, name, symbol };

    /// Whether this is the symbol or the keyword.
    [[nodiscard]] bool is(std::string_view spelling) const {
        return (kind == Kind::symbol || kind == Kind::name) && source == spelling;
    }

    Kind kind = Kind::end;
    std::string_view source;  ///< as written; a text without its quotes
    std::int64_t integer = 0;
    double real = 0;
    std::size_t begin = 0;  ///< offset of the first byte
    std::size_t end = 0;
};

/// Cuts an expression of Python into tokens, one ahead of its reader. C's "&&", "||" and "!" are
/// symbols too. Keeps a view of the text.
class PythonLexer {
public:
    explicit PythonLexer(std::string_view text) : text_(text) { advance(); }

    [[nodiscard]] const PythonToken& current() const { return current_; }
    /// Returns the current token and reads the next. Throws Error(usage) for what is no token.
    PythonToken take();

    [[nodiscard]] std::string_view text() const { return text_; }

private:
    void advance();
    [[nodiscard]] PythonToken number(std::size_t begin) const;
    [[nodiscard]] PythonToken text_literal(std::size_t begin) const;
    [[nodiscard]] PythonToken word(std::size_t begin) const;
    [[nodiscard]] PythonToken symbol(std::size_t begin) const;

    std::string_view text_;
    PythonToken current_;
};

/// Throws Error(usage): the expression, the position of `offset`, `message`.
[[noreturn]] void refuse_python(std::string_view text, std::size_t offset,
                                const std::string& message);

}  // namespace jitune::internal
