// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "cli/formats/python_value.hpp"

namespace jitune::internal {

/// What an expression of Python may name.
struct PythonScope {
    struct Variable {
        bool is_text = false;
        bool can_be_negative = true;
    };
    std::map<std::string, Variable> variables;  ///< what jitune's expression names, too
    PythonNames constants;                      ///< replaced by their values
};

/// Translates an expression of Python into one of jitune that has the same value for all values of
/// the variables: a <= b < c becomes a <= b AND b < c. A truth value is 1 or 0, and where Python
/// raises an exception, as in a division by 0, the result is NULL. In % and // a quotient counts as
/// the exact fraction, which Python rounds. C's &&, || and ! are taken, too. Throws Error(usage) as
/// refuse_python() does for a name that the scope lacks and for what jitune has no words for: bit
/// operations, powers with a variable exponent, text that is no identifier.
std::string translate_python(std::string_view text, const PythonScope& scope);

}  // namespace jitune::internal
