// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "support/process.hpp"

namespace jitune::internal {

/// Runs `command` to its end, however long that takes. Returns its end and its standard output.
/// `line` gets each line of its standard error
/// as it comes, without the newline, and returns whether the command is to go on: else it is
/// interrupted, as by Ctrl-C. Throws Error(unavailable) as ChildProcess does, and what `line`
/// throws; the command is killed then.
ProcessResult run_command(const ProcessCommand& command,
                          const std::function<bool(std::string_view)>& line);

}  // namespace jitune::internal
