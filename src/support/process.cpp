// SPDX-License-Identifier: Apache-2.0
#include "support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/file_descriptor.hpp"
#include "support/loop_clock.hpp"
#include "support/process_identity.hpp"

namespace jitune::internal {
namespace {

constexpr std::chrono::milliseconds kOutputWait{20};

/// Appends the output that is ready. False at the end of the output. It reads once, as much as a
/// pipe holds, so that the caller can check time and size even if the program never stops writing.
bool read_output(int source, std::string& output) {
    std::array<char, 65536> buffer;
    const ssize_t count = ::read(source, buffer.data(), buffer.size());
    if (count > 0) {
        output.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

std::string search_path() {
    if (const char* const own = ::secure_getenv("PATH")) {
        return own;
    }
    std::vector<char> text(::confstr(_CS_PATH, nullptr, 0) + 1);
    ::confstr(_CS_PATH, text.data(), text.size());
    return text.data();
}

/// Waits a short time for output.
void wait_for_output(int source, bool open) {
    constexpr std::chrono::milliseconds kEndWait{1};
    pollfd waiting{source, POLLIN, 0};
    if (!open || ::poll(&waiting, 1, static_cast<int>(kOutputWait.count())) < 0) {
        std::this_thread::sleep_for(kEndWait);
    }
}

[[noreturn]] void fail(const std::string& program, const char* call, int code) {
    throw_system_error(ErrorKind::unavailable, fmt::format("cannot run {}: {}", program, call),
                       code);
}

struct SpawnFileActions {
    SpawnFileActions() { ::posix_spawn_file_actions_init(&value); }
    ~SpawnFileActions() { ::posix_spawn_file_actions_destroy(&value); }
    SpawnFileActions(const SpawnFileActions&) = delete;
    SpawnFileActions& operator=(const SpawnFileActions&) = delete;
    posix_spawn_file_actions_t value{};
};

struct SpawnAttributes {
    SpawnAttributes() { ::posix_spawnattr_init(&value); }
    ~SpawnAttributes() { ::posix_spawnattr_destroy(&value); }
    SpawnAttributes(const SpawnAttributes&) = delete;
    SpawnAttributes& operator=(const SpawnAttributes&) = delete;
    posix_spawnattr_t value{};
};

std::string_view variable_name(std::string_view setting) {
    return setting.substr(0, setting.find('='));
}

/// The environment of this process, with the settings of the command in place of those that have
/// the same name. A program with more rights than its caller passes none of the caller's on, by
/// which a compiler could be told to run other programs.
std::vector<std::string> environment_of(const ProcessCommand& command) {
    std::vector<std::string> all = command.environment;
    if (::getauxval(AT_SECURE) != 0) {
        all.emplace_back("PATH=/usr/bin:/bin");
        return all;
    }
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const auto same = [&](const std::string& setting) {
            return variable_name(setting) == variable_name(*entry);
        };
        if (std::none_of(command.environment.begin(), command.environment.end(), same)) {
            all.emplace_back(*entry);
        }
    }
    return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) {
        result.push_back(text.data());
    }
    result.push_back(nullptr);
    return result;
}

void connect(SpawnFileActions& actions, int stream, int source) {
    if (source < 0) {
        ::posix_spawn_file_actions_addopen(&actions.value, stream, "/dev/null", O_RDWR, 0);
    } else {
        ::posix_spawn_file_actions_adddup2(&actions.value, source, stream);
    }
}

pid_t spawn(ProcessCommand command, const ChildStreams& streams, ChildProcess::Reach reach,
            const std::string& family) {
    if (!family.empty()) {
        command.environment.push_back(fmt::format("{}={}", kFamilyVariable, family));
    }
    SpawnFileActions actions;
    connect(actions, STDIN_FILENO, streams.input);
    connect(actions, STDOUT_FILENO, streams.output);
    connect(actions, STDERR_FILENO, streams.error);
    ::posix_spawn_file_actions_addclosefrom_np(&actions.value, STDERR_FILENO + 1);

    // The program does not inherit the signals that the app blocks and ignores.
    SpawnAttributes attributes;
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes.value, &none);
    ::posix_spawnattr_setsigdefault(&attributes.value, &all);
    ::posix_spawnattr_setpgroup(&attributes.value, 0);
    const int membership =
        reach == ChildProcess::Reach::session ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP;
    ::posix_spawnattr_setflags(
        &attributes.value,
        static_cast<short>(membership | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));

    std::vector<std::string> arguments{command.program.string()};
    arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
    std::vector<std::string> environment = environment_of(command);
    pid_t pid = -1;
    const int code =
        ::posix_spawn(&pid, arguments.front().c_str(), &actions.value, &attributes.value,
                      pointers(arguments).data(), pointers(environment).data());
    if (code != 0) {
        fail(command.program.string(), "posix_spawn", code);
    }
    if (command.nice != 0) {  // also for its later threads and children
        ::setpriority(PRIO_PROCESS, static_cast<id_t>(pid),
                      ::getpriority(PRIO_PROCESS, 0) + command.nice);
    }
    return pid;
}

}  // namespace

std::string describe_end(const ProcessResult& result) {
    if (result.timed_out) {
        return "still running after the time limit";
    }
    if (result.flooded) {
        return "wrote more than the limit of its output";
    }
    if (result.stopped) {
        return "stopped on request";
    }
    if (result.signal != 0) {
        return fmt::format("signal {} ({})", result.signal, ::strsignal(result.signal));
    }
    return fmt::format("exit code {}", result.exit_code);
}

ProcessResult run_process(const ProcessCommand& command, const std::stop_token& stop) {
    auto [source, sink] = make_pipe();
    LoopClock time(kOutputWait, 50 * kOutputWait);
    const ChildProcess child(command, {-1, sink.number(), sink.number()});
    sink.close();

    ProcessResult result;
    bool open = true;
    while (true) {
        wait_for_output(source.number(), open);
        // The output and the program may end in either order. Asking for the end first makes sure
        // that everything written before it is read.
        const auto end = child.end();
        open = open && read_output(source.number(), result.output);
        if (result.output.size() > command.output_limit) {
            result.output.resize(command.output_limit);
            result.flooded = true;
            return result;
        }
        if (end) {
            result.exit_code = end->exit_code;
            result.signal = end->signal;
            return result;
        }
        if (time.turn() >= command.timeout) {
            result.timed_out = true;
            return result;
        }
        if (stop.stop_requested()) {
            result.stopped = true;
            return result;
        }
    }
}

std::optional<std::filesystem::path> find_program(std::string_view name) {
    const auto executable = [](const std::filesystem::path& path) {
        std::error_code error;
        return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
    };
    if (name.find('/') != std::string_view::npos) {
        return executable(name) ? std::optional<std::filesystem::path>(name) : std::nullopt;
    }
    const std::string folders = search_path();
    std::string_view rest = folders;
    while (!name.empty() && !rest.empty()) {
        const std::size_t colon = std::min(rest.find(':'), rest.size());
        const std::filesystem::path folder(rest.substr(0, colon));
        if (folder.is_absolute() && executable(folder / name)) {
            return folder / name;
        }
        rest.remove_prefix(std::min(colon + 1, rest.size()));
    }
    return std::nullopt;
}

ChildProcess::ChildProcess(const ProcessCommand& command, const ChildStreams& streams, Reach reach)
    : program_(command.program.string()),
      reach_(reach),
      family_(reach == Reach::session ? new_family() : ""),
      pid_(spawn(command, streams, reach, family_)) {}

ChildProcess::~ChildProcess() {
    // Before the process is reaped: its number cannot belong to another group or session yet.
    kill();
    if (reach_ == Reach::session) {
        kill_session(pid_, family_);
    }
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

std::chrono::nanoseconds ChildProcess::processor_time() const {
    clockid_t clock{};
    timespec time{};
    if (::clock_getcpuclockid(pid_, &clock) == 0) {
        ::clock_gettime(clock, &time);
    }
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

void ChildProcess::kill() const {
    ::kill(-pid_, SIGKILL);
}

void ChildProcess::interrupt() const {
    ::kill(-pid_, SIGINT);
}

std::optional<ProcessResult> ChildProcess::end() const {
    siginfo_t end{};
    while (::waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED | WNOHANG | WNOWAIT) != 0) {
        if (errno != EINTR) {
            fail(program_, "waitid (does the app ignore SIGCHLD?)", errno);
        }
    }
    if (end.si_pid == 0) {
        return std::nullopt;
    }
    ProcessResult result;
    (end.si_code == CLD_EXITED ? result.exit_code : result.signal) = end.si_status;
    return result;
}

std::optional<ProcessResult> ChildProcess::end_within(std::chrono::milliseconds patience) const {
    constexpr std::chrono::milliseconds kPause{1};
    LoopClock time(kPause, 100 * kPause);
    auto result = end();
    while (!result && time.turn() < patience) {
        std::this_thread::sleep_for(kPause);
        result = end();
    }
    return result;
}

}  // namespace jitune::internal
