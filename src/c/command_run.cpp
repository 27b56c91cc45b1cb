// SPDX-License-Identifier: Apache-2.0
#include "c/command_run.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/file_descriptor.hpp"

namespace jitune::internal {

namespace {

/// One of the child's streams, as far as it has been read.
class Reader {
public:
    explicit Reader(FileDescriptor source) : source_(std::move(source)) {}

    [[nodiscard]] bool is_open() const { return open_; }
    [[nodiscard]] pollfd wanted() const { return {open_ ? source_.number() : -1, POLLIN, 0}; }

    /// Appends the bytes that are ready. If the child writes without end, appends at most as much
    /// as several pipes hold.
    void read_into(std::string& text) {
        constexpr int kMostParts = 16;
        std::array<char, 1 << 16> part{};
        for (int i = 0; open_ && i < kMostParts; ++i) {
            const ssize_t count = ::read(source_.number(), part.data(), part.size());
            if (count > 0) {
                text.append(part.data(), static_cast<std::size_t>(count));
            } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
                open_ = false;
            } else if (errno == EAGAIN) {
                return;
            }
        }
    }

private:
    FileDescriptor source_;
    bool open_ = true;
};

}  // namespace

ProcessResult run_command(const ProcessCommand& command,
                          const std::function<bool(std::string_view)>& line) {
    struct sigaction children {};
    if (::sigaction(SIGCHLD, nullptr, &children) == 0 &&
        (children.sa_handler == SIG_IGN || (children.sa_flags & SA_NOCLDWAIT) != 0)) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("cannot run {}: this process ignores SIGCHLD, so that nobody can "
                                "see how a command ends",
                                command.program.string()));
    }
    constexpr int kGlanceMs = 100;  // a child that has ended may leave its streams to others
    Pipe output = make_pipe();
    Pipe error = make_pipe();
    const ChildProcess child(command, {-1, output.sink.number(), error.sink.number()});
    output.sink.close();
    error.sink.close();
    Reader out(std::move(output.source)), err(std::move(error.source));

    std::string text, lines;
    bool interrupted = false;
    std::optional<ProcessResult> end;
    while (!end) {
        if (out.is_open() || err.is_open()) {
            std::array wanted{out.wanted(), err.wanted()};
            ::poll(wanted.data(), wanted.size(), kGlanceMs);
            end = child.end();
        } else {
            end = child.end_within(std::chrono::milliseconds(kGlanceMs));
        }
        out.read_into(text);
        err.read_into(lines);
        std::size_t begin = 0;
        for (std::size_t newline = lines.find('\n'); newline != std::string::npos;
             newline = lines.find('\n', begin)) {
            const std::string_view one = std::string_view(lines).substr(begin, newline - begin);
            if (!line(one) && !std::exchange(interrupted, true)) {
                child.interrupt();
            }
            begin = newline + 1;
        }
        lines.erase(0, begin);
    }
    if (!lines.empty()) {
        line(lines);
    }
    end->output = std::move(text);
    return *end;
}

}  // namespace jitune::internal
