// SPDX-License-Identifier: Apache-2.0
#include "support/process.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "support/child_process.hpp"
#include "support/loop_clock.hpp"
#include "support/pipe.hpp"

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

}  // namespace jitune::internal
