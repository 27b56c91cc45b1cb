// SPDX-License-Identifier: Apache-2.0
#include "support/process_session.hpp"

#include <dirent.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>

#include <fmt/format.h>

namespace jitune::internal {

namespace {

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

/// Whether the environment with which a process began has this setting.
bool began_with(pid_t pid, const std::string& setting) {
    std::ifstream file(fmt::format("/proc/{}/environ", pid), std::ios::binary);
    for (std::string one; std::getline(file, one, '\0');) {
        if (one == setting) {
            return true;
        }
    }
    return false;
}

/// Kills the processes that exist now; true if there was one.
bool kill_once(pid_t session, const std::string& setting) {
    const std::unique_ptr<DIR, CloseDirectory> processes(::opendir("/proc"));
    bool found = false;
    while (const dirent* entry = processes != nullptr ? ::readdir(processes.get()) : nullptr) {
        const std::string_view name = entry->d_name;
        pid_t pid = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (error == std::errc() && end == name.data() + name.size() && pid != ::getpid() &&
            (::getsid(pid) == session || (!setting.empty() && began_with(pid, setting)))) {
            // A process that has ended and waits for its parent cannot be killed again.
            found = ::kill(pid, SIGKILL) == 0 || found;
        }
    }
    return found;
}

}  // namespace

std::string new_family() {
    static std::atomic<unsigned> count{0};
    std::random_device random;
    return fmt::format("{}-{}-{:08x}{:08x}", ::getpid(), ++count, random(), random());
}

void kill_session(pid_t session, std::string_view family) {
    const std::string setting = family.empty() ? "" : fmt::format("{}={}", kFamilyVariable, family);
    constexpr int kMostRounds = 4;  // a process may start another while they are counted
    for (int round = 0; round < kMostRounds && kill_once(session, setting); ++round) {
    }
}

}  // namespace jitune::internal
