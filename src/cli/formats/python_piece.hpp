// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/formats/python_value.hpp"

namespace jitune::internal {

/// A part of jitune's expression, made of one of Python.
struct PythonPiece {
    /// How tight the outermost operator of the text binds.
    enum class Level { disjunction, conjunction, inversion, comparison, sum, product, primary };
    enum class Type {
        truth,  ///< 1 or 0
        loose,  ///< as true as Python's value, but another value
        integer,
        real,
        text,
    };

    std::string text;
    Level level = Level::primary;
    Type type = Type::integer;
    bool can_be_negative = true;

    /// The text, in parentheses unless it binds as tight as `least`.
    [[nodiscard]] std::string within(Level least) const;
};

/// Throws PythonFault for a list, a text that is no identifier and a real that is not finite.
PythonPiece literal_piece(const PythonValue& value);

/// a symbol b, of a left-associative operator.
PythonPiece operation_piece(const PythonPiece& a, std::string_view symbol, const PythonPiece& b,
                            PythonPiece::Level level,
                            PythonPiece::Type type = PythonPiece::Type::integer);

/// Real where one of them is.
PythonPiece::Type wider_type(const PythonPiece& a, const PythonPiece& b);

/// 0 - a: jitune's expressions read a double minus as a comment.
PythonPiece negated(const PythonPiece& a);

PythonPiece times(const PythonPiece& a, const std::optional<PythonPiece>& b);

/// Python's a % b and a // b of integers, exactly: jitune's round towards zero.
PythonPiece floor_remainder(const PythonPiece& a, const PythonPiece& b);
PythonPiece floor_quotient(const PythonPiece& a, const PythonPiece& b);

/// Python's a / b: integers divide as reals.
PythonPiece real_quotient(const PythonPiece& a, const PythonPiece& b);

}  // namespace jitune::internal
