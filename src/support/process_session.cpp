// SPDX-License-Identifier: Apache-2.0
#include "support/process_session.hpp"

#include <dirent.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstring>
#include <memory>
#include <string_view>

namespace jitune::internal {

namespace {

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

/// Kills the processes that exist now; true if there was one.
bool kill_once(pid_t session) {
    const std::unique_ptr<DIR, CloseDirectory> processes(::opendir("/proc"));
    bool found = false;
    while (const dirent* entry = processes != nullptr ? ::readdir(processes.get()) : nullptr) {
        const std::string_view name = entry->d_name;
        pid_t pid = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (error == std::errc() && end == name.data() + name.size() && pid != ::getpid() &&
            ::getsid(pid) == session) {
            // A process that has ended and waits for its parent cannot be killed again.
            found = ::kill(pid, SIGKILL) == 0 || found;
        }
    }
    return found;
}

}  // namespace

void kill_session(pid_t session) {
    constexpr int kMostRounds = 4;  // a process may start another while they are counted
    for (int round = 0; round < kMostRounds && kill_once(session); ++round) {
    }
}

}  // namespace jitune::internal
