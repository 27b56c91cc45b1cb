// SPDX-License-Identifier: Apache-2.0
#include "worker/process_state.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <clocale>
#include <csignal>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "support/text_file.hpp"

namespace jitune::internal {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 32;                           // that a candidate may open
constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20;  // that it may leave on disk

/// The rest of the line of /proc/thread-self/status that begins with `key`.
std::string status_of_thread(std::string_view key) {
    std::ifstream file("/proc/thread-self/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(key)) {
            return line.substr(key.size());
        }
    }
    return {};
}

std::string environment() {
    std::string all;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        all.append(*entry).push_back('\0');
    }
    return all;
}

std::vector<std::uint64_t> floating_point() {
    std::vector<std::uint64_t> state{static_cast<std::uint64_t>(std::fegetround()),
                                     static_cast<std::uint64_t>(::fegetexcept())};
#if defined(__x86_64__)
    constexpr unsigned kFlags = 0x3f;  // what calculations have raised; not a setting
    state.push_back(__builtin_ia32_stmxcsr() & ~kFlags);
#elif defined(__aarch64__)
    state.push_back(__builtin_aarch64_get_fpcr());
#endif
    return state;
}

std::vector<rlimit> limits() {
    std::vector<rlimit> all(RLIM_NLIMITS);
    for (std::size_t i = 0; i < all.size(); ++i) {
        ::getrlimit(static_cast<__rlimit_resource>(i), &all[i]);
    }
    return all;
}

std::set<pid_t> threads() {
    std::set<pid_t> all;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/task", error)) {
        all.insert(static_cast<pid_t>(std::stol(entry.path().filename().string())));
    }
    return all;
}

std::size_t open_files() {
    std::error_code error;
    const fs::directory_iterator files("/proc/self/fd", error);
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

std::uintmax_t bytes_in(const fs::path& folder) {
    std::uintmax_t bytes = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; entry != end && !error;
         entry.increment(error)) {
        std::error_code gone;
        const std::uintmax_t size = entry->is_regular_file(gone) ? entry->file_size(gone) : 0;
        bytes += gone ? 0 : size;
    }
    return bytes;
}

/// Whether the thread runs now, and goes on running: one of a pool waits for work soon.
bool keeps_running(pid_t thread) {
    constexpr int kLooks = 20;
    for (int look = 0; look < kLooks; ++look) {
        const std::string status = read_if_there(fmt::format("/proc/self/task/{}/stat", thread));
        const std::size_t name_end = status.rfind(')');
        if (name_end == std::string::npos || status.compare(name_end, 3, ") R") != 0) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return true;
}

/// The handler of each signal and how it is called.
std::vector<std::uint64_t> signal_handlers() {
    std::vector<std::uint64_t> all;
    for (int signal = 1; signal < NSIG; ++signal) {
        struct sigaction action {};
        ::sigaction(signal, nullptr, &action);
        all.push_back(reinterpret_cast<std::uint64_t>(action.sa_sigaction));
        all.push_back(static_cast<std::uint64_t>(action.sa_flags));
    }
    return all;
}

std::vector<bool> blocked_signals() {
    sigset_t blocked;
    ::sigemptyset(&blocked);
    ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    std::vector<bool> all;
    for (int signal = 1; signal < NSIG; ++signal) {
        all.push_back(::sigismember(&blocked, signal) == 1);
    }
    return all;
}

bool same_limits(const std::vector<rlimit>& one, const std::vector<rlimit>& other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [](const rlimit& a, const rlimit& b) {
                          return a.rlim_cur == b.rlim_cur && a.rlim_max == b.rlim_max;
                      });
}

}  // namespace

ProcessState::ProcessState(const fs::path& scratch)
    : umask_(status_of_thread("Umask:")),
      environment_(environment()),
      floating_point_(floating_point()),
      limits_(limits()),
      signal_handlers_(signal_handlers()),
      blocked_signals_(blocked_signals()),
      threads_(threads()),
      open_files_(open_files()),
      scratch_bytes_(bytes_in(scratch)) {
    std::error_code error;
    folder_ = fs::read_symlink("/proc/self/cwd", error).string();
    const char* const locale = std::setlocale(LC_ALL, nullptr);
    locale_ = locale == nullptr ? "" : locale;
    struct stat status {};
    scratch_inode_ = ::stat(scratch.c_str(), &status) == 0 ? status.st_ino : 0;
}

std::string ProcessState::change_since(const ProcessState& earlier) const {
    const auto is_new_and_runs = [&](pid_t thread) {
        return !earlier.threads_.contains(thread) && keeps_running(thread);
    };
    // A limit first: it may have kept this state's files from being read.
    return !same_limits(limits_, earlier.limits_)     ? "changed a resource limit"
           : scratch_inode_ != earlier.scratch_inode_ ? "removed the folder for temporary files"
           : scratch_bytes_ > earlier.scratch_bytes_ + kMostBytes
               ? fmt::format("left {} MiB of temporary files", scratch_bytes_ >> 20)
           : folder_ != earlier.folder_           ? "changed the working directory"
           : umask_ != earlier.umask_             ? "changed the file mode mask"
           : locale_ != earlier.locale_           ? "changed the locale"
           : environment_ != earlier.environment_ ? "changed the environment"
           : floating_point_ != earlier.floating_point_
               ? "changed how floating-point numbers are rounded or trapped"
           : signal_handlers_ != earlier.signal_handlers_   ? "changed a signal handler"
           : blocked_signals_ != earlier.blocked_signals_   ? "changed which signals are blocked"
           : open_files_ > earlier.open_files_ + kMostFiles ? "left files open"
           : std::any_of(threads_.begin(), threads_.end(), is_new_and_runs)
               ? "left a thread running"
               : "";
}

}  // namespace jitune::internal
