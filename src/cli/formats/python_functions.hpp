// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "cli/formats/python_node.hpp"
#include "cli/formats/python_value.hpp"

namespace jitune::internal {

/// Why an operation has no value: what evaluate_python() adds the place to.
struct PythonFault : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class PythonOrder { less, equal, greater, none };

/// None for values that Python does not order: those are unequal.
PythonOrder python_order(const PythonValue& a, const PythonValue& b);

/// Numbers other than 0, and texts and lists that are not empty.
bool is_python_true(const PythonValue& value);

/// + - * / // % ** << >> & | ^ of numbers, + of lists and texts. Throws PythonFault.
PythonValue compute_python(std::string_view symbol, const PythonValue& a, const PythonValue& b);

/// A function of those that evaluate_python() lists. Throws PythonFault.
PythonValue call_python(std::string_view name, PythonValue::List& arguments);

/// The function's name without its module, math, np or numpy.
std::string_view plain_function(std::string_view name);

/// Throws Error(usage) that names the name and those that are known.
[[noreturn]] void refuse_unknown_name(std::string_view text, const PythonNode& node,
                                      const PythonNames& names);

/// Python's a // b and a % b, with the sign of b. b is not 0.
std::int64_t floor_quotient(std::int64_t a, std::int64_t b);
std::int64_t floor_remainder(std::int64_t a, std::int64_t b);

}  // namespace jitune::internal
