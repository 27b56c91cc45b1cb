// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
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
        own,    ///< given as source text
    };
    std::string_view name;
    Kind kind;
    /// The class template in jitune_operations.h, jitune_formula_operations.h or `source`.
    std::string_view code;
    // Of kind own:
    ElementType result = ElementType::float32;
    double tolerance = 0;  ///< as CustomOperation::tolerance
    std::string_view source = {};
};

/// The operation of a name, also among those that are the formula's own, or nothing.
const FormulaOperation* formula_operation(std::string_view name,
                                          std::span<const FormulaOperation> own = {});

/// The operation whose name is `letters` but for underscores, or "".
std::string_view formula_operation_like(std::string_view letters);

/// The type of a conversion, as in `double(x)`: names of element types and of C++; nothing for
/// other names.
std::optional<ElementType> formula_cast_type(std::string_view name);

/// Names that mean something in every formula, so that neither arrays nor results may have them.
bool is_formula_word(std::string_view name);

/// The names of all functions, and of all operations, for messages.
std::string formula_function_names();
std::string formula_operation_names();

}  // namespace jitune::internal
