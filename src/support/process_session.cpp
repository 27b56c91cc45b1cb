// SPDX-License-Identifier: Apache-2.0
#include "support/process_session.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <random>

#include <fmt/format.h>

#include "support/file_descriptor.hpp"
#include "support/folder_reader.hpp"

namespace jitune::internal {

namespace {

/// Looks for "<kFamilyVariable>=<family>" in an environment that it is shown piece by piece.
class FamilySearch {
public:
    explicit FamilySearch(std::string_view family) : parts_{kFamilyVariable, "=", family} {}

    /// Whether the setting is in what it has been shown. Each setting ends with a zero.
    bool sees(std::string_view piece) {
        for (const char c : piece) {
            if (c == '\0') {
                if (equal_ && part_ == parts_.size()) {
                    return true;
                }
                part_ = at_ = 0;
                equal_ = true;
                continue;
            }
            equal_ = equal_ && part_ < parts_.size() && c == parts_[part_][at_];
            if (equal_ && ++at_ == parts_[part_].size()) {
                ++part_;
                at_ = 0;
            }
        }
        return false;
    }

private:
    const std::array<std::string_view, 3> parts_;  // none is empty
    std::size_t part_ = 0, at_ = 0;
    bool equal_ = true;  // so far, this setting
};

/// Whether the environment with which a process began names this family.
bool is_of(pid_t pid, std::string_view family) {
    std::array<char, 32> path{};
    fmt::format_to_n(path.data(), path.size() - 1, "/proc/{}/environ", pid);
    const FileDescriptor file(::open(path.data(), O_RDONLY | O_CLOEXEC));
    FamilySearch search(family);
    std::array<char, 4096> piece;
    for (ssize_t count = 1; count > 0;) {
        count = ::read(file.number(), piece.data(), piece.size());
        if (count > 0 && search.sees({piece.data(), static_cast<std::size_t>(count)})) {
            return true;
        }
    }
    return false;
}

/// Kills the processes that exist now; true if there was one.
bool kill_once(pid_t session, std::string_view family) {
    FolderReader processes("/proc");
    bool found = false;
    while (const char* const entry = processes.next()) {
        const std::string_view name = entry;
        pid_t pid = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (error == std::errc() && end == name.data() + name.size() && pid != ::getpid() &&
            (::getsid(pid) == session || (!family.empty() && is_of(pid, family)))) {
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

void kill_session(pid_t session, std::string_view family) noexcept {
    constexpr int kMostRounds = 4;  // a process may start another while they are counted
    for (int round = 0; round < kMostRounds && kill_once(session, family); ++round) {
    }
}

}  // namespace jitune::internal
