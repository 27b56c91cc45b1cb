// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/sweep_result.hpp"
#include "jitune/reduce.hpp"

namespace jitune::internal {

/// The problems of a sweep as they are written: lists by comma.
struct SweepWords {
    std::string types = "float32";
    std::string ops = "sum";
    std::string result = {};  ///< empty: each operation's own
    std::string determinism = "run_to_run";
    std::string shape = "all";
    std::string sizes = {};  ///< empty: default_sizes()
};

/// Every combination, types outside, then operations, then sizes. Throws Error(usage) for a
/// combination that there is not, so that a sweep either begins whole or not at all.
std::vector<detail::ReduceRequest> sweep_problems(const SweepWords& words);

/// True where the operation answers in its own result type.
bool has_own_result(const detail::ReduceRequest& problem);

/// "float32 sum 2^20", "int8 sum to int64 rows 2^10x2^16"
std::string problem_text(const detail::ReduceRequest& problem);

/// The sweep of these problems. The result type is a column only where a problem has another than
/// its operation's own.
SweepPlan reduce_plan(const SweepWords& words);

}  // namespace jitune::internal
