// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "families/formula/own_operations.hpp"
#include "formula/binding.hpp"
#include "jitune/map_reduce.hpp"

namespace jitune::internal {

// What src/formula knows of a call. The functions throw Error(usage) for an extent that the shape
// does not have.

LineShape line_shape(FormulaShape::Kind shape);

FormulaInput::Kind input_kind(const FormulaArgument& given, FormulaShape::Kind shape);

/// Refers to the operations.
FormulaBinding call_binding(FormulaArguments inputs, const FormulaShape& shape,
                            FormulaArguments outputs, const OwnOperations& operations);

}  // namespace jitune::internal
