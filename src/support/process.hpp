// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace jitune::internal {

/// A program to run. No shell is involved.
struct ProcessCommand {
    std::filesystem::path program;
    std::vector<std::string> arguments;
    /// "NAME=value", added to the environment of this process.
    std::vector<std::string> environment;
    std::chrono::milliseconds timeout{60'000};
    int nice = 0;  ///< added to that of this process, or as far as the system allows
    std::size_t output_limit = 1 << 20;  ///< bytes; a program that writes more is killed
};

struct ProcessResult {
    int exit_code = -1;  ///< -1 unless the program exited
    int signal = 0;      ///< the signal that ended the program, or 0
    bool timed_out = false;
    bool flooded = false;  ///< it wrote more than ProcessCommand::output_limit
    bool stopped = false;  ///< on request
    std::string output;    ///< standard output and standard error, in the order written

    [[nodiscard]] bool succeeded() const { return exit_code == 0; }
};

/// "exit code 1", "signal 11 (Segmentation fault)" or "still running after the time limit", and
/// what else ended it.
std::string describe_end(const ProcessResult& result);

/// Runs `command` until it ends, its time limit is over, it has written more than its limit, or
/// `stop` is requested, with empty standard input and in a process group of its own; no process of
/// the group runs on after the return. Throws Error(unavailable) if the program cannot be started,
/// or if its end cannot be seen because the app ignores SIGCHLD.
ProcessResult run_process(const ProcessCommand& command, const std::stop_token& stop = {});

/// The path of an executable file: `name` itself if it has a slash, else the first file of that
/// name on $PATH, or in the system's folders where that is not set or the program has more rights
/// than its caller. Returns nullopt if no file is found.
std::optional<std::filesystem::path> find_program(std::string_view name);

}  // namespace jitune::internal
