// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "cli/app/command.hpp"

namespace jitune::internal {

/// The first line of help texts.
inline constexpr const char* kProgramSummary =
    "jitune tunes kernels for the device they run on, and stores the winners";

/// Every command of `jitune`. A new one is a file, whose namespace makes its Invocation, and a row.
std::vector<Command> commands();

}  // namespace jitune::internal
