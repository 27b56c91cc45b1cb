// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace jitune::internal {

/// A part of an expression of Python.
struct PythonNode {
    enum class Kind {
        integer,
        real,
        text,
        truth,          ///< True or False: `integer`
        name,           ///< `text`
        list,           ///< also a tuple
        comprehension,  ///< element, iterable and, if there is one, condition; `text`: the variable
        call,           ///< `text`: the function, as in "max" or "math.ceil"
        subscript,      ///< value, index
        negate,
        inversion,    ///< not
        binary,       ///< `text`: + - * / // % ** << >> & | ^
        comparison,   ///< a chain: one of `operators` between two operands
        disjunction,  ///< or
        conjunction,  ///< and
        conditional,  ///< value, condition, otherwise: value if condition else otherwise
    };

    Kind kind = Kind::integer;
    std::size_t begin = 0;  ///< its place in the text
    std::int64_t integer = 0;
    double real = 0;
    std::string text = {};
    std::vector<std::string> operators = {};  ///< == != < <= > >= "in" "not in"
    std::vector<PythonNode> operands = {};
    int depth = 0;  ///< levels of operands below
};

/// Parses an expression; several with commas between them are a list. Throws Error(usage): the
/// text, the position, what was expected there. Depth is limited, so that no text overflows the
/// stack.
PythonNode parse_python(std::string_view text);

/// The names that it needs, without functions and the variables of comprehensions.
std::set<std::string> names_of(const PythonNode& node);

}  // namespace jitune::internal
