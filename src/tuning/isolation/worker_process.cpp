// SPDX-License-Identifier: Apache-2.0
#include "tuning/isolation/worker_process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "jitune/version.hpp"
#include "support/file_descriptor.hpp"
#include "support/loop_clock.hpp"
#include "support/process.hpp"
#include "tuning/isolation/worker_request.hpp"

namespace jitune::internal {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kStartTime{30'000};
constexpr milliseconds kStartGlance{50};
constexpr milliseconds kEndTime{2'000};  // between a closed channel and the end: a core dump
constexpr std::size_t kKept = 600;       // bytes of standard error

}  // namespace

WorkerProcess::WorkerProcess(const std::filesystem::path& program, int nice,
                             const std::atomic<bool>& stop, milliseconds after_stop,
                             const TimeSource& source) {
    auto [ours, theirs] = MessageChannel::make_pair();
    auto [errors, sink] = make_pipe();
    ::fcntl(sink.number(), F_SETPIPE_SZ, 1 << 20);  // the system's own size if it allows no more
    channel_ = std::make_unique<MessageChannel>(std::move(ours));
    errors_ = std::move(errors);
    ProcessCommand command;
    command.program = program;
    command.arguments = {"worker", scratch_.path().string()};
    command.nice = nice;
    // Standard input is the channel, so that text which a candidate prints is never a message.
    process_ = std::make_unique<ChildProcess>(
        command, ChildStreams{theirs.number(), sink.number(), sink.number()},
        ChildProcess::Reach::session);
    theirs.close();
    sink.close();
    wait_until_ready(program, stop, after_stop, source);
}

void WorkerProcess::wait_until_ready(const std::filesystem::path& program,
                                     const std::atomic<bool>& stop, milliseconds after_stop,
                                     const TimeSource& source) {
    LoopClock time(kStartGlance, 20 * kStartGlance, source);
    std::optional<Message> first;
    while (!first && !lost() && time.turn() < (stop ? after_stop : kStartTime)) {
        first = receive(kStartGlance);
    }
    if (!first && !lost() && stop) {
        throw Error(
            ErrorKind::unavailable,
            fmt::format("stopped before a tuning worker of {} was ready; call again to tune",
                        program.string()));
    }
    const std::optional<ProcessResult> end = first ? std::nullopt : wait_for_end();
    if (end && (end->signal != 0 || end->exit_code != 0)) {
        throw WorkerEnded(
            ErrorKind::unavailable,
            fmt::format(
                "cannot start a tuning worker: {} ended before it was ready ({}); try again, or "
                "give Options::worker (JITUNE_WORKER) the path of the jitune command",
                program.string(), last_words()));
    }
    if (first != Message{worker_messages::kReady, worker_messages::protocol()}) {
        refuse(program, first.value_or(Message()));
    }
}

void WorkerProcess::refuse(const std::filesystem::path& program, const Message& first) {
    constexpr milliseconds kVersionTime{5'000};
    const bool is_other = first.size() == 2 && first.front() == worker_messages::kReady;
    std::string found = is_other ? fmt::format("it speaks \"{}\", this library \"{}\"",
                                               first.back(), worker_messages::protocol())
                                 : last_words();
    const ProcessResult said = run_process({program, {"--version"}, {}, kVersionTime});
    if (said.succeeded() && !said.output.empty()) {
        found += fmt::format("; with --version it says \"{}\", this is {}",
                             said.output.substr(0, said.output.find('\n')), JITUNE_VERSION_STRING);
    }
    throw Error(ErrorKind::unavailable,
                fmt::format("cannot start a tuning worker: {} is not the jitune command of this "
                            "build ({}); install the command of this build, or give "
                            "Options::worker (JITUNE_WORKER) its path",
                            program.string(), found));
}

std::optional<Message> WorkerProcess::receive(milliseconds patience) {
    try {
        // While a candidate prints, its pipe is emptied more often than messages come.
        constexpr milliseconds kWhilePrinting{1};
        auto message = channel_->receive(prints_ ? std::min(patience, kWhilePrinting) : patience);
        if (!message && process_ != nullptr && process_->end()) {
            // The channel need not be closed: processes that candidates have left may hold it. All
            // that the worker has sent is there.
            message = channel_->receive(milliseconds(0));
            ended_ = !message;
        }
        read_errors();
        return message && !message->empty() ? std::move(message) : std::nullopt;
    } catch (const Error&) {
        garbled_ = true;
        return std::nullopt;
    }
}

/// Reads faster than a candidate can print, for a while: one that prints without end must not hide
/// the worker's messages, and one that prints much must not wait for its reader.
void WorkerProcess::read_errors() {
    constexpr int kMostReads = 1024;
    std::array<char, 65536> buffer;
    prints_ = false;
    for (int i = 0; i < kMostReads; ++i) {
        const ssize_t count = ::read(errors_.number(), buffer.data(), buffer.size());
        if (count <= 0) {
            return;
        }
        prints_ = true;
        written_.append(buffer.data(), static_cast<std::size_t>(count));
        written_.erase(0, written_.size() - std::min(written_.size(), kKept));
    }
}

/// How it ended, after a while if it is about to; nothing if it goes on.
std::optional<ProcessResult> WorkerProcess::wait_for_end() {
    return lost() && !garbled_ ? process_->end_within(kEndTime) : process_->end();
}

std::string WorkerProcess::last_words() {
    const std::optional<ProcessResult> end = wait_for_end();
    read_errors();
    std::string text = garbled_ ? "it sent a malformed message" : "it did not end";
    if (const int code = channel_->error(); code != 0) {
        text = "its channel failed: " + std::generic_category().message(code);
    }
    if (end) {
        text = describe_end(*end);
    } else {
        process_->kill();
    }
    std::string said = written_;  // by any program: without what could control a terminal
    std::replace_if(
        said.begin(), said.end(),
        [](char c) { return (c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == 0x7f; }, '?');
    return said.empty() ? text : fmt::format("{}: {}", text, said);
}

}  // namespace jitune::internal
