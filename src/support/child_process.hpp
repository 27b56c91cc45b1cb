// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "support/process.hpp"

namespace jitune::internal {

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
