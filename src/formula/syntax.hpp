// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace jitune::internal {

/// An expression of a formula as it is written.
struct FormulaNode {
    enum class Kind {
        number,  ///< `text` as written
        name,    ///< also `name[i]`
        first,   ///< `name[0]`
        unary,   ///< - + ! ~
        binary,  ///< the operators of C++ but for assignments and the comma, and **
        choice,  ///< condition ? a : b
        call,    ///< of a function, an operation or a type
    } kind = Kind::number;
    std::string text;                ///< the number, the name or the operator
    std::vector<FormulaNode> parts;  ///< operands, arguments
    std::size_t at = 0;              ///< where it begins in the formula's text
};

/// `name = value`, `name[i] = value`, or a value alone, whose name is kResult.
struct FormulaStatement {
    static constexpr const char* kResult = "result";

    std::string name;
    bool is_array = false;
    FormulaNode value;
    std::size_t at = 0;
};

/// Reads "rr = sum(r * r); x[i] = x + a * p". Throws Error(usage) for text that is no formula: it
/// names the place and says what may stand there.
std::vector<FormulaStatement> parse_formula(std::string_view text);

/// The names that a formula reads and does not give above, in the order in which they appear first.
std::vector<std::string> formula_inputs(const std::vector<FormulaStatement>& statements);

/// Throws Error(usage): what is wrong at a place of a formula, which it shows.
[[noreturn]] void refuse_formula(std::string_view text, std::size_t at, const std::string& flaw);

}  // namespace jitune::internal
