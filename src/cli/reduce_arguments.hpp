// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "jitune/element_type.hpp"
#include "jitune/reduction.hpp"

namespace jitune::internal {

/// The element types of a list by comma, or of "all". Throws Error(usage).
std::vector<ElementType> parse_element_types(std::string_view text);

/// An operation that has a name of its own, so not custom. Throws Error(usage).
ReduceOp parse_named_op(std::string_view name);

/// Such operations of a list by comma, or of "all".
std::vector<ReduceOp> parse_named_ops(std::string_view text);

/// "sum, product, …": every name that parse_named_op() takes, for the help.
std::string named_ops();

/// The result type of that name, or the operation's own where `name` is empty. Throws Error(usage)
/// for one that the operation does not have.
ElementType parse_result(ElementType element, ReduceOp op, std::string_view name);

/// Run_to_run or any: what needs no configuration. Throws Error(usage).
Determinism parse_unpinned(std::string_view name);

}  // namespace jitune::internal
