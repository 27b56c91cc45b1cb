// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "families/reduce/reduce_compare.hpp"
#include "families/reduce/reduce_layout.hpp"
#include "jitune/element_type.hpp"
#include "jitune/reduction.hpp"

namespace jitune::internal {

/// The types and the operation of a reduction.
struct ReduceTypes {
    ElementType element;
    ReduceOp op;
    ElementType result;
};

/// The factor by which the data of reduce_data.hpp is multiplied, so that float16 results stay in
/// range: means of an element above the least, sums of magnitudes below the largest. A power of 2;
/// 1 for other results.
float trial_scale(const ReduceTypes& types, std::size_t longest);

/// The reduction of an array that repeats `pattern`, a whole number of elements. Integers are
/// combined in wrapping arithmetic, floats in double with compensated sums. Whole periods of rows,
/// segments and the flat array take no time of their own. The tolerance fits the data of
/// reduce_data.hpp. Throws Error(usage) for a custom operation, which has no reference.
Expected reduce_reference(const ReduceTypes& types, const ReduceLayout& layout,
                          std::span<const std::byte> pattern);

}  // namespace jitune::internal
