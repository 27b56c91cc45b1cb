// SPDX-License-Identifier: Apache-2.0
#include "worker/process_state.hpp"

#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "support/folder_reader.hpp"
#include "support/loop_clock.hpp"
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
    FolderReader tasks("/proc/self/task");
    while (const char* const task = tasks.next()) {
        all.insert(static_cast<pid_t>(std::strtol(task, nullptr, 10)));
    }
    return all;
}

std::size_t open_files() {
    FolderReader files("/proc/self/fd");
    std::size_t count = 0;
    while (files.next() != nullptr) {
        ++count;
    }
    return count;
}

/// Of the files in all folders that a path can name.
std::uintmax_t bytes_in(const fs::path& folder) {
    std::uintmax_t bytes = 0;
    FolderReader entries(folder.c_str());
    while (const char* const name = entries.next()) {
        const fs::path path = folder / name;
        struct stat status {};
        if (::lstat(path.c_str(), &status) == 0) {
            bytes += S_ISREG(status.st_mode)   ? static_cast<std::uintmax_t>(status.st_size)
                     : S_ISDIR(status.st_mode) ? bytes_in(path)
                                               : 0;
        }
    }
    return bytes;
}

/// The processor time of a thread that runs now, in ticks of the system; nothing of another.
std::optional<long> ticks_of_running(pid_t thread) {
    constexpr int kStateField = 3, kUserField = 14, kSystemField = 15;  // as proc(5) counts them
    const std::string status = read_if_there(fmt::format("/proc/self/task/{}/stat", thread));
    const std::size_t name_end = status.rfind(')');
    if (name_end == std::string::npos || status.compare(name_end, 3, ") R") != 0) {
        return std::nullopt;
    }
    std::istringstream fields(status.substr(name_end + 1));
    std::string field;
    long ticks = 0;
    for (int number = kStateField; number <= kSystemField && fields >> field; ++number) {
        ticks += number >= kUserField ? std::strtol(field.c_str(), nullptr, 10) : 0;
    }
    return ticks;
}

/// Whether the thread runs now, and goes on running. A thread of a pool soon waits for work. Counts
/// the thread's own time, because on a busy machine a thread may wait long for a processor.
bool keeps_running(pid_t thread) {
    const long enough = std::max(1L, ::sysconf(_SC_CLK_TCK) / 10);
    constexpr std::chrono::milliseconds kGlance{2};
    LoopClock time(kGlance, 100 * kGlance);
    const std::optional<long> begin = ticks_of_running(thread);
    for (auto now = begin; now && time.turn() < std::chrono::seconds(5);
         now = ticks_of_running(thread)) {
        if (*now - *begin >= enough) {
            return true;
        }
        std::this_thread::sleep_for(kGlance);
    }
    return false;
}

/// The handler of each signal and how it is called.
std::vector<std::uint64_t> signal_handlers() {
    std::vector<std::uint64_t> all;
    for (int signal = 1; signal < NSIG; ++signal) {
        struct sigaction action {};
        ::sigaction(signal, nullptr, &action);
        all.push_back(reinterpret_cast<std::uint64_t>(action.sa_sigaction));
        constexpr int kRestorer = 0x04000000;  // which the C library adds by itself
        all.push_back(static_cast<std::uint64_t>(action.sa_flags & ~kRestorer));
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

/// The files behind the standard streams.
std::vector<std::uint64_t> standard_streams() {
    std::vector<std::uint64_t> all;
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        struct stat status {};
        const bool is_open = ::fstat(stream, &status) == 0;
        all.push_back(is_open ? static_cast<std::uint64_t>(status.st_ino) + 1 : 0);
        all.push_back(static_cast<std::uint64_t>(status.st_dev));
    }
    return all;
}

bool has_alarm() {
    itimerval timer{};
    return ::getitimer(ITIMER_REAL, &timer) == 0 &&
           (timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0);
}

bool same_limits(const std::vector<rlimit>& one, const std::vector<rlimit>& other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [](const rlimit& a, const rlimit& b) {
                          return a.rlim_cur == b.rlim_cur && a.rlim_max == b.rlim_max;
                      });
}

constexpr std::size_t kAuditSizes[] = {24, 40, 104, 1000, 1032, 4072, 16'000, 100'000};
constexpr std::size_t kOfEachSize = 8;
constexpr std::byte kContent{0x5a};

std::size_t sentinel_size(std::size_t sentinel) {
    return kAuditSizes[sentinel % std::size(kAuditSizes)];
}

}  // namespace

ProcessState::ProcessState(const fs::path& scratch)
    : umask_(status_of_thread("Umask:")),
      environment_(environment()),
      floating_point_(floating_point()),
      limits_(limits()),
      signal_handlers_(signal_handlers()),
      blocked_signals_(blocked_signals()),
      standard_streams_(standard_streams()),
      has_alarm_(has_alarm()),
      priority_(::getpriority(PRIO_PROCESS, 0)),
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
           : standard_streams_ != earlier.standard_streams_ ? "closed a standard stream"
           : has_alarm_ && !earlier.has_alarm_              ? "left an alarm"
           : priority_ != earlier.priority_                 ? "changed the priority"
           : open_files_ > earlier.open_files_ + kMostFiles ? "left files open"
           : std::any_of(threads_.begin(), threads_.end(), is_new_and_runs)
               ? "left a thread running"
               : "";
}

HeapAudit::HeapAudit() {
    std::vector<std::unique_ptr<std::byte[]>> gaps;  // freed at the end, for others to fill
    for (std::size_t i = 0; i < kOfEachSize * std::size(kAuditSizes); ++i) {
        sentinels_.push_back(std::make_unique<std::byte[]>(sentinel_size(i)));
        std::memset(sentinels_.back().get(), std::to_integer<int>(kContent), sentinel_size(i));
        gaps.push_back(std::make_unique<std::byte[]>(sentinel_size(i)));
    }
}

HeapAudit::~HeapAudit() = default;

bool HeapAudit::is_whole() const {
    for (const std::size_t size : kAuditSizes) {
        void* blocks[kOfEachSize];
        for (void*& block : blocks) {
            block = std::malloc(size);
            if (block != nullptr) {
                *static_cast<volatile char*>(block) = 0;  // so that the call is not left out
            }
        }
        std::for_each(std::begin(blocks), std::end(blocks), [](void* block) { std::free(block); });
    }
    for (std::size_t i = 0; i < sentinels_.size(); ++i) {
        const std::byte* const begin = sentinels_[i].get();
        if (!std::all_of(begin, begin + sentinel_size(i),
                         [](std::byte b) { return b == kContent; })) {
            return false;
        }
    }
    return true;
}

}  // namespace jitune::internal
