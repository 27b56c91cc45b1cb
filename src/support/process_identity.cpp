// SPDX-License-Identifier: Apache-2.0
#include "support/process_identity.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fstream>
#include <random>
#include <sstream>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/file_descriptor.hpp"
#include "support/folder_reader.hpp"

namespace jitune::internal {
namespace {

std::string first_word(const std::string& path) {
    std::string word;
    std::ifstream(path) >> word;
    return word;
}

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// The number in "pid:[4026531836]".
std::string pid_namespace() {
    std::array<char, 64> target{};
    const ssize_t size = readlink("/proc/self/ns/pid", target.data(), target.size() - 1);
    const std::string text(target.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    const std::size_t begin = text.find('[');
    return begin == std::string::npos ? "" : text.substr(begin + 1, text.rfind(']') - begin - 1);
}

/// Field 22 of /proc/<pid>/stat, in clock ticks since the boot. The second field is the program's
/// name in brackets, which may hold anything.
std::string start_time(std::string_view pid) {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::stringstream text;
    text << file.rdbuf();
    std::string stat = text.str();
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos) {
        return "";
    }
    std::istringstream fields(stat.substr(name_end + 1));
    std::string field;
    for (int number = 3; number <= 22 && fields >> field; ++number) {
    }
    return fields ? field : "";
}

std::string location() {
    return fmt::format("host={} boot={} pids={} ", host_name(),
                       first_word("/proc/sys/kernel/random/boot_id"), pid_namespace());
}

std::string_view value_of(std::string_view identity, std::string_view name) {
    const std::string wanted = fmt::format(" {}=", name);
    const std::size_t at = identity.find(wanted);
    if (at == std::string_view::npos) {
        return {};
    }
    identity.remove_prefix(at + wanted.size());
    return identity.substr(0, identity.find(' '));
}

/// Looks for "<kFamilyVariable>=<family>" in an environment that it is shown piece by piece.
class FamilySearch {
public:
    explicit FamilySearch(std::string_view family) : parts_{kFamilyVariable, "=", family} {}

    /// Whether the pieces of the environment so far have the setting. Each setting ends with a
    /// zero.
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

std::string process_identity() {
    const std::string pid = std::to_string(getpid());
    return fmt::format("{}pid={} start={}", location(), pid, start_time(pid));
}

bool has_ended(std::string_view identity) {
    const std::string_view boot = value_of(identity, "boot");
    const std::string_view pid = value_of(identity, "pid");
    const std::string_view start = value_of(identity, "start");
    pid_t number = 0;
    const auto [end, error] = std::from_chars(pid.data(), pid.data() + pid.size(), number);
    if (boot.empty() || start.empty() || !identity.starts_with(location()) ||
        error != std::errc() || end != pid.data() + pid.size() || number <= 0) {
        return false;
    }
    if (kill(number, 0) != 0 && errno == ESRCH) {
        return true;
    }
    const std::string now = start_time(pid);  // empty if /proc hides processes of other users
    return !now.empty() && now != start;
}

std::atomic<std::uint64_t> ForkGuard::forks_{0};

ForkGuard::ForkGuard() {
    static const int registered = pthread_atfork(nullptr, nullptr, [] { ++forks_; });
    static_cast<void>(registered);
    generation_ = forks_;
}

void ForkGuard::throw_forked() {
    throw Error(ErrorKind::forked,
                "jitune was used before this process was forked: devices, threads and the "
                "database do not survive a fork. Use jitune first in the child, or exec");
}

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
