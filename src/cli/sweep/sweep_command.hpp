// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/app/command.hpp"

namespace jitune::internal {

/// `jitune sweep NAME` for each row of sweep_families(), and `jitune sweep worklist`.
std::vector<Command> sweep_commands();

}  // namespace jitune::internal
