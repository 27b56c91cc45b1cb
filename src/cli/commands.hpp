// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/command.hpp"

namespace jitune::internal {

/// Every command of `jitune`. A new one is a file, whose namespace makes its Invocation, and a row.
std::vector<Command> commands();

}  // namespace jitune::internal
