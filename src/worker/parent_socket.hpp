// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace jitune::internal {

/// Throws Error(usage) unless standard input is a socket, as where jitune starts itself as
/// `jitune <command>`, which does `work` for its parent.
void require_parent_socket(std::string_view command, std::string_view work);

}  // namespace jitune::internal
