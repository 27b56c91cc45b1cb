#include "support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune {

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const Command& command, const char* call, int code) {
    throw Error(ErrorKind::unavailable, fmt::format("run {}: {}: {}", command.program.string(),
                                                    call, std::system_category().message(code)));
}

class FileDescriptor {
public:
    explicit FileDescriptor(int number) : number_(number) {}
    ~FileDescriptor() { close(); }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;

    [[nodiscard]] int number() const { return number_; }
    void close() {
        if (number_ >= 0) {
            ::close(number_);
        }
        number_ = -1;
    }

private:
    int number_;
};

/// A running program and everything it starts. Killed and reaped with the object.
class Child {
public:
    explicit Child(pid_t pid) : pid_(pid) {}
    ~Child() {
        // Before the reaping, so that the group's number cannot be another's yet.
        ::kill(-pid_, SIGKILL);
        while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// How the program ended, or nullopt while it runs.
    [[nodiscard]] std::optional<siginfo_t> end(const Command& command) const {
        siginfo_t end{};
        while (::waitid(P_PID, static_cast<id_t>(pid_), &end, WEXITED | WNOHANG | WNOWAIT) != 0) {
            if (errno != EINTR) {
                fail(command, "waitid (does the app ignore SIGCHLD?)", errno);
            }
        }
        return end.si_pid == 0 ? std::nullopt : std::optional(end);
    }

private:
    pid_t pid_;
};

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

/// This process's environment with the command's settings in place of those of the same name.
std::vector<std::string> environment_of(const Command& command) {
    std::vector<std::string> all = command.environment;
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

pid_t spawn(const Command& command, int output) {
    SpawnFileActions actions;
    ::posix_spawn_file_actions_addopen(&actions.value, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions.value, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions.value, output, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions.value, STDERR_FILENO + 1);

    // The app's blocked and ignored signals are no business of the program's.
    SpawnAttributes attributes;
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes.value, &none);
    ::posix_spawnattr_setsigdefault(&attributes.value, &all);
    ::posix_spawnattr_setpgroup(&attributes.value, 0);
    ::posix_spawnattr_setflags(
        &attributes.value, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

    std::vector<std::string> arguments{command.program.string()};
    arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
    std::vector<std::string> environment = environment_of(command);
    pid_t pid = -1;
    const int code =
        ::posix_spawn(&pid, arguments.front().c_str(), &actions.value, &attributes.value,
                      pointers(arguments).data(), pointers(environment).data());
    if (code != 0) {
        fail(command, "posix_spawn", code);
    }
    return pid;
}

/// Keeps what fits of the output at hand. False once there can be no more. One read, of as much as
/// a pipe holds: a program that never stops writing must not keep the caller from looking at the
/// clock.
bool read_output(int source, std::size_t limit, std::string& output) {
    std::vector<char> buffer(65536);
    const ssize_t count = ::read(source, buffer.data(), buffer.size());
    if (count > 0) {
        output.append(buffer.data(),
                      std::min(limit - output.size(), static_cast<std::size_t>(count)));
    }
    return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

/// Returns when there may be output, or soon.
void wait_for_output(int source, bool open) {
    constexpr std::chrono::milliseconds kGlance{20}, kNap{1};
    if (open) {
        pollfd waiting{source, POLLIN, 0};
        ::poll(&waiting, 1, static_cast<int>(kGlance.count()));
    } else {
        std::this_thread::sleep_for(kNap);
    }
}

void set_end(ProcessResult& result, const siginfo_t& end) {
    if (end.si_code == CLD_EXITED) {
        result.exit_code = end.si_status;
    } else {
        result.signal = end.si_status;
    }
}

}  // namespace

std::string describe_end(const ProcessResult& result) {
    if (result.timed_out) {
        return "no end within the time limit";
    }
    if (result.signal != 0) {
        return fmt::format("signal {} ({})", result.signal, ::strsignal(result.signal));
    }
    return fmt::format("exit code {}", result.exit_code);
}

ProcessResult run_process(const Command& command) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        fail(command, "pipe2", errno);
    }
    const FileDescriptor source(ends[0]);
    FileDescriptor sink(ends[1]);
    ::fcntl(source.number(), F_SETFL, O_NONBLOCK);

    const auto deadline = Clock::now() + command.timeout;
    const Child child(spawn(command, sink.number()));
    sink.close();

    ProcessResult result;
    bool open = true;
    while (true) {
        wait_for_output(source.number(), open);
        // The end of the output and the end of the program may come apart, in either order; what
        // was written before the end is read after looking for the end.
        const auto end = child.end(command);
        open = open && read_output(source.number(), command.output_limit, result.output);
        if (end) {
            set_end(result, *end);
            return result;
        }
        if (Clock::now() >= deadline) {
            result.timed_out = true;
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
    const char* variable = std::getenv("PATH");
    std::string_view rest = variable != nullptr ? variable : "";
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

}  // namespace jitune
