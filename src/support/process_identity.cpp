// SPDX-License-Identifier: Apache-2.0
#include "support/process_identity.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

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

}  // namespace jitune::internal
