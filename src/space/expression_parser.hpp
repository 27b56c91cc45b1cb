// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "space/expression_node.hpp"

namespace jitune::internal {

/// The tree of `text`. Throws Error(usage): the text, the position counted in bytes from 1, what
/// was expected there.
NodePointer parse_expression(std::string_view text);

}  // namespace jitune::internal
