// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/sweep_family.hpp"
#include "jitune/reduce.hpp"

namespace jitune::internal {

/// The row of reductions in sweep_families(). The result type is a column only where a problem has
/// another than its operation's own.
SweepFamily reduce_sweep_family();

/// The problems of a plan: types outside, then operations, then sizes. Throws Error(usage).
std::vector<detail::ReduceRequest> reduce_requests(const FamilyArguments& arguments);

/// True where the operation answers in its own result type.
bool has_own_result(const detail::ReduceRequest& request);

/// "float32 sum 2^20", "int8 sum to int64 rows 2^10x2^16"
std::string request_text(const detail::ReduceRequest& request);

}  // namespace jitune::internal
