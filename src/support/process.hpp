// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

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
/// name on $PATH, or in the system's folders if that is not set or the program has more rights
/// than its caller. Returns nullopt if no file is found.
std::optional<std::filesystem::path> find_program(std::string_view name);

/// Standard input, output and error of a program: file descriptors of the caller, who keeps them.
/// -1: /dev/null.
struct ChildStreams {
    int input = -1;
    int output = -1;
    int error = -1;
};

/// A running program and the processes that it starts. It inherits no other files and no signal
/// settings of the app. The destructor kills and reaps it.
class ChildProcess {
public:
    /// The processes that are killed with it: its process group; or its session, which includes the
    /// groups that it makes, and every process that inherits its kFamilyVariable.
    enum class Reach { group, session };

    /// Starts the program. Throws Error(unavailable).
    ChildProcess(const ProcessCommand& command, const ChildStreams& streams,
                 Reach reach = Reach::group);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// How the program ended, or nullopt while it runs. Throws Error(unavailable) if the app
    /// ignores SIGCHLD.
    [[nodiscard]] std::optional<ProcessResult> end() const;

    /// end(), after `patience` at most if it is about to end.
    [[nodiscard]] std::optional<ProcessResult> end_within(std::chrono::milliseconds patience) const;

    /// Returns the processor time of the program so far, without that of processes it has started.
    [[nodiscard]] std::chrono::nanoseconds processor_time() const;

    /// May be called from any thread.
    void kill() const;

    /// Asks the program and its process group to end, as Ctrl-C does.
    void interrupt() const;

private:
    std::string program_;
    Reach reach_;
    std::string family_;  ///< the value of kFamilyVariable; empty for a group
    pid_t pid_;
};

}  // namespace jitune::internal
