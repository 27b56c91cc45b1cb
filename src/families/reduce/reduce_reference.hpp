// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "families/reduce/reduce_compare.hpp"
#include "families/reduce/reduce_layout.hpp"
#include "jitune/element_type.hpp"
#include "jitune/reduction.hpp"

namespace jitune::internal {

/// What is reduced to what.
struct ReduceTypes {
    ElementType element;
    ReduceOp op;
    ElementType result;
};

/// The reduction of an array that repeats `pattern`, whole elements: integers in wrapping
/// arithmetic, floats in double with the rounding errors of sums carried along. Time grows with
/// the elements, but for the whole periods of rows, segments and the flat array. The tolerance is
/// that of the data that reduce_data.hpp makes. Throws Error(usage) for a custom operation, which
/// only its source knows.
Expected reduce_reference(const ReduceTypes& types, const ReduceLayout& layout,
                          std::span<const std::byte> pattern);

}  // namespace jitune::internal
