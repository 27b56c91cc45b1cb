// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "jitune/element_type.hpp"

namespace jitune::internal {

/// A function of elements.
struct FormulaFunction {
    enum class Kind {
        real,       ///< float32 of float32, else float64
        same,       ///< the common type of its arguments
        predicate,  ///< of one float: true or false
        select,     ///< where(condition, a, b)
    };
    std::string_view name;
    Kind kind;
    std::size_t least, most;  ///< arguments
};

/// The function of a name, or nothing. Of a real function, the name of C with the suffix f is the
/// same function.
const FormulaFunction* formula_function(std::string_view name);

/// An operation that reduces an expression over all elements.
struct FormulaOperation {
    enum class Kind {
        total,  ///< accumulates in its result's type: sum, min
        real,   ///< a float, of integers float64: mean, norm, var
        place,  ///< the index of an element
        test,   ///< all, any
        count,  ///< of elements that are not 0
    };
    std::string_view name;
    Kind kind;
    std::string_view
        code;  ///< the class template in jitune_operations.h or jitune_formula_operations.h
};

/// The operation of a name, or nothing.
const FormulaOperation* formula_operation(std::string_view name);

/// The type of a conversion, as in `double(x)`: names of element types and of C++; nothing for
/// other names.
std::optional<ElementType> formula_cast_type(std::string_view name);

/// Names that mean something in every formula, so that neither arrays nor results may have them.
bool is_formula_word(std::string_view name);

/// The names of all functions, and of all operations, for messages.
std::string formula_function_names();
std::string formula_operation_names();

}  // namespace jitune::internal
