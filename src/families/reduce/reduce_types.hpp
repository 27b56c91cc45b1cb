// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "jitune/element_type.hpp"
#include "jitune/reduction.hpp"

namespace jitune::internal {

/// The result types that an operation over `element` supports; the first is the default. Throws
/// Error(usage) for a value outside an enum, as all functions of this header do.
std::vector<ElementType> results_of(ElementType element, ReduceOp op);

/// The type in which elements are combined. Throws Error(usage) with the supported types for a
/// result that the operation does not support.
ElementType accumulator_of(ElementType element, ReduceOp op, ElementType result);

/// The value of a reduction of no elements, in the first bytes_of(result) bytes. Throws
/// Error(usage) for arg_min and arg_max, where it is undefined, and for custom operations.
std::array<std::byte, 8> value_of_nothing(ReduceOp op, ElementType result);

}  // namespace jitune::internal
