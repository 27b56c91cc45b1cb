// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/sweep/sweep_family.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "jitune/element_type.hpp"
#include "jitune/reduce.hpp"
#include "jitune/reduction.hpp"

namespace jitune::internal {

// Reductions as a command line names them.

/// A built-in operation. Throws Error(usage) for any other name, also for "custom".
ReduceOp parse_named_op(std::string_view name);

/// "sum, product, …": every name that parse_named_op() takes, for the help.
std::string named_ops();

/// The result type of that name, or the operation's own if `name` is empty. Throws Error(usage)
/// for one that the operation does not have.
ElementType parse_result(ElementType element, ReduceOp op, std::string_view name);

/// run_to_run or any; pinned needs a configuration and is refused. Throws Error(usage).
Determinism parse_unpinned(std::string_view name);

/// "all", "rows", "columns", "segments".
std::string_view to_string(ReduceKind kind);

/// Throws Error(usage) that lists the names.
ReduceKind parse_reduce_kind(std::string_view name);

/// One shape, or every shape from `first` to `last`.
struct ShapeSpan {
    detail::ReduceShape first;
    detail::ReduceShape last;
    [[nodiscard]] bool is_range() const {
        return first.outer != last.outer || first.inner != last.inner;
    }
};

/// The row of reductions in sweep_families(). The result type is a column only if a problem has
/// another than its operation's own.
SweepFamily reduce_sweep_family();

/// A reduction of one shape, or of every shape between two.
struct SweptReduction {
    detail::ReduceRequest request;  ///< of the first shape
    ShapeSpan shapes;
};

/// The reductions of a plan: types outside, then operations, then sizes. Throws Error(usage).
std::vector<SweptReduction> swept_reductions(const FamilyArguments& arguments);

/// True if the operation answers in its own result type.
bool has_own_result(const detail::ReduceRequest& request);

/// "float32 sum 2^10..2^20", "int8 sum to int64 rows 2^10x2^16"
std::string reduction_text(const SweptReduction& reduction);

}  // namespace jitune::internal
