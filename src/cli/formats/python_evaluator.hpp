// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "cli/formats/python_node.hpp"
#include "cli/formats/python_value.hpp"

namespace jitune::internal {

/// The value that Python gives the expression: arithmetic, comparisons, lists, comprehensions,
/// range, list, tuple, len, min, max, sum, abs, int, float, bool, pow, sorted, ceil, floor. Throws
/// Error(usage) as refuse_python() does for a name that `names` lacks, another function, a result
/// of more than 63 bits and a list of more than 100 000 elements. `text` is the whole expression.
PythonValue evaluate_python(const PythonNode& node, std::string_view text,
                            const PythonNames& names);

}  // namespace jitune::internal
