// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "support/process.hpp"

namespace jitune::internal {

/// What a program has as standard input, output and error; the caller's file descriptors, which
/// stay its own. -1: /dev/null.
struct ChildStreams {
    int input = -1;
    int output = -1;
    int error = -1;
};

/// A running program and everything it starts, with none of the app's other files and signals.
/// Killed and reaped with the object.
class ChildProcess {
public:
    /// What is killed with it: its process group, or its session, which holds also the groups that
    /// it makes.
    enum class Reach { group, session };

    /// Starts the program. Throws Error(unavailable).
    ChildProcess(const ProcessCommand& command, const ChildStreams& streams,
                 Reach reach = Reach::group);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// How the program ended, or nullopt while it runs. Throws Error(unavailable) where the app
    /// ignores SIGCHLD.
    [[nodiscard]] std::optional<ProcessResult> end() const;

    void kill() const;

private:
    std::string program_;
    pid_t pid_;
    Reach reach_;
};

}  // namespace jitune::internal
