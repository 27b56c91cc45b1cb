// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/app/command.hpp"

namespace jitune::internal {

/// A program that is made of commands.
struct CommandProgram {
    std::string name;
    std::string summary;                 ///< the first line of its help
    std::string (*version)();            ///< what --version prints
    std::vector<Command> (*commands)();  ///< its rows
};

/// Reads the command line and returns the work that it asks for: that of a command, or printing a
/// help text or the version. Throws Error(usage) in one line that names the mistake and what the
/// command takes.
std::function<int()> read_command_line(int argc, char** argv, const CommandProgram& program);

/// The main function of a program: does what the command line asks for, or the work of jitune's
/// worker process or compiler process, as which the program starts itself. An error is one line on
/// standard error, and with --json a document on standard output. Returns the exit code.
int run_program(int argc, char** argv, const CommandProgram& program);

}  // namespace jitune::internal
