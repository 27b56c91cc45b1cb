// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/app/command.hpp"

namespace jitune::internal {

/// The texts that `jitune --help` and `jitune --version` print beside the commands.
struct ProgramTexts {
    std::string summary;
    std::string version;
    std::string strategies;  ///< also below the help of commands that choose one
    std::string exit_codes;  ///< below the help of all commands
};

/// Reads the command line and returns the work that it asks for: that of a command, or printing a
/// help text or the version. Throws Error(usage) in one line that names the mistake and what the
/// command takes.
std::function<int()> read_command_line(int argc, char** argv, const std::vector<Command>& commands,
                                       const ProgramTexts& texts);

}  // namespace jitune::internal
