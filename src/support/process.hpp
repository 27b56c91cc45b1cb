// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jitune::internal {

/// A program to run. No shell is involved.
struct ProcessCommand {
    std::filesystem::path program;
    std::vector<std::string> arguments;
    /// "NAME=value", set on top of this process's environment.
    std::vector<std::string> environment;
    std::chrono::milliseconds timeout{60'000};
    std::size_t output_limit = 1 << 20;  ///< bytes of output kept; the rest is read and dropped
};

struct ProcessResult {
    int exit_code = -1;  ///< -1 unless the program ended by itself
    int signal = 0;      ///< that ended the program, or 0
    bool timed_out = false;
    std::string output;  ///< standard output and standard error as they came

    [[nodiscard]] bool succeeded() const { return exit_code == 0; }
};

/// "exit code 1", "signal 11 (Segmentation fault)" or "no end within the time limit".
std::string describe_end(const ProcessResult& result);

/// Runs `command` to its end or its timeout, with nothing to read and in a process group of its
/// own, of which nothing is left running on return. Throws Error(unavailable) where the program
/// cannot be started or its end is hidden because the app ignores SIGCHLD.
ProcessResult run_process(const ProcessCommand& command);

/// The program's full path: `name` itself if it has a slash, else the first executable file of that
/// name on $PATH.
std::optional<std::filesystem::path> find_program(std::string_view name);

}  // namespace jitune::internal
