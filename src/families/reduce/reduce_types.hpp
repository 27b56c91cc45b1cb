// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "jitune/element_type.hpp"
#include "jitune/reduction.hpp"

namespace jitune::internal {

/// The types that an operation over `element` can answer in; the first is what it answers in where
/// nothing is asked for. Throws Error(usage) for a value that is none of an enumeration, as all
/// functions of this header do.
std::vector<ElementType> results_of(ElementType element, ReduceOp op);

/// What elements are combined in. Throws Error(usage) for a result that the operation does not
/// have, with those that it has.
ElementType accumulator_of(ElementType element, ReduceOp op, ElementType result);

/// The value of a reduction of no elements, in the first bytes_of(result) bytes. Throws
/// Error(usage) for arg_min and arg_max, which have none, and custom, whose source knows it.
std::array<std::byte, 8> value_of_nothing(ReduceOp op, ElementType result);

}  // namespace jitune::internal
