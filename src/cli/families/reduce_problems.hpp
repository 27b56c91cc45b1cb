// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/families/reduce_shape.hpp"
#include "cli/sweep/sweep_family.hpp"
#include "jitune/reduce.hpp"

namespace jitune::internal {

/// The row of reductions in sweep_families(). The result type is a column only where a problem has
/// another than its operation's own.
SweepFamily reduce_sweep_family();

/// A reduction of one shape, or of every shape between two.
struct SweptReduction {
    detail::ReduceRequest request;  ///< of the first shape
    ShapeSpan shapes;
};

/// The reductions of a plan: types outside, then operations, then sizes. Throws Error(usage).
std::vector<SweptReduction> swept_reductions(const FamilyArguments& arguments);

/// True where the operation answers in its own result type.
bool has_own_result(const detail::ReduceRequest& request);

/// "float32 sum 2^10..2^20", "int8 sum to int64 rows 2^10x2^16"
std::string reduction_text(const SweptReduction& reduction);

}  // namespace jitune::internal
