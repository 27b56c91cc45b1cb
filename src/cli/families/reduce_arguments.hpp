// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jitune/element_type.hpp"
#include "jitune/reduction.hpp"

namespace jitune::internal {

/// Element types separated by commas, or "all". Throws Error(usage).
std::vector<ElementType> parse_element_types(std::string_view text);

/// A built-in operation. Throws Error(usage) for any other name, also for "custom".
ReduceOp parse_named_op(std::string_view name);

/// Built-in operations separated by commas, or "all". Throws Error(usage).
std::vector<ReduceOp> parse_named_ops(std::string_view text);

/// "sum, product, …": every name that parse_named_op() takes, for the help.
std::string named_ops();
std::vector<std::string> op_names();

/// The result type of that name, or the operation's own where `name` is empty. Throws Error(usage)
/// for one that the operation does not have.
ElementType parse_result(ElementType element, ReduceOp op, std::string_view name);

/// run_to_run or any; pinned needs a configuration and is refused. Throws Error(usage).
Determinism parse_unpinned(std::string_view name);

}  // namespace jitune::internal
