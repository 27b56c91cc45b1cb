// SPDX-License-Identifier: Apache-2.0
#include "tuning/isolation/compiler_process.hpp"

#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/loop_clock.hpp"
#include "support/process.hpp"
#include "tuning/isolation/worker_request.hpp"

namespace jitune::internal {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kForEver{-1};
constexpr const char* kMalformed = "it sent a malformed message";

}  // namespace

CompilerProcess::CompilerProcess(const std::filesystem::path& program, PlatformKind platform) {
    auto [ours, theirs] = MessageChannel::make_pair();
    channel_ = std::make_unique<MessageChannel>(std::move(ours));
    ProcessCommand command;
    command.program = program;
    command.arguments = {"compiler", std::string(to_string(platform))};
    process_ = std::make_unique<ChildProcess>(command, ChildStreams{.input = theirs.number()});
}

std::optional<std::vector<CompileOutcome>> CompilerProcess::compile(const CompileRequest& request,
                                                                    CompileCall& call) {
    const std::stop_callback kill_it(call.stop, [this] { process_->kill(); });
    if (!name()) {
        return std::nullopt;
    }
    const std::chrono::nanoseconds begin = process_->processor_time();
    std::optional<std::vector<CompileOutcome>> outcomes = ask(request);
    call.processor_time += process_->processor_time() - begin;
    call.in_own_process = true;
    return outcomes;
}

std::optional<std::vector<CompileOutcome>> CompilerProcess::ask(const CompileRequest& request) {
    Message message{compiler_messages::kCompile};
    MessageWriter writer(message);
    write_compile_request(writer, request);
    channel_->send(message);  // to a process that has ended, too: then nothing comes back
    std::optional<Error> error;
    try {
        const std::optional<Message> answer = receive(kForEver);
        if (!answer) {
            return std::nullopt;
        }
        MessageReader reader(*answer);
        if (const std::string name = reader.text(); name == compiler_messages::kOutcomes) {
            std::vector<CompileOutcome> outcomes = read_outcomes(reader);
            refusal_ = outcomes.size() == request.instances.size() ? "" : kMalformed;
            return refusal_.empty() ? std::optional(std::move(outcomes)) : std::nullopt;
        }
        error = read_error(reader);
    } catch (const Error&) {
        refusal_ = kMalformed;
        return std::nullopt;
    }
    throw Error(*error);
}

std::optional<CompilerName> CompilerProcess::name() {
    constexpr milliseconds kStartTime{30'000};
    if (!name_ && refusal_.empty()) {
        if (const std::optional<Message> first = receive(kStartTime)) {
            greet(*first);
        } else if (!channel_->closed()) {
            refusal_ = "it was not ready in time";
        }
    }
    return name_;
}

bool CompilerProcess::lives() const {
    try {
        return refusal_.empty() && !process_->end();
    } catch (const Error&) {  // the app ignores the ends of its children
        return !channel_->closed();
    }
}

/// The next message; nothing if none comes within `patience`, or the channel is closed.
std::optional<Message> CompilerProcess::receive(milliseconds patience) {
    LoopClock time(milliseconds(100));
    std::optional<Message> message;
    try {
        do {
            message = channel_->receive(patience);  // nothing, too, after a part of a message
        } while (!message && !channel_->closed() &&
                 (patience == kForEver || time.turn() < patience));
    } catch (const Error&) {
        refusal_ = kMalformed;
    }
    return message;
}

/// The first message: which compiler this is, or why there is none.
void CompilerProcess::greet(const Message& first) {
    try {
        MessageReader reader(first);
        const std::string kind = reader.text();
        if (kind == worker_messages::kReady) {
            if (const std::string protocol = reader.text();
                protocol != worker_messages::protocol()) {
                refusal_ = fmt::format("it speaks \"{}\", this library \"{}\"", protocol,
                                       worker_messages::protocol());
                return;
            }
            CompilerName name;
            reader.fields(name.version, name.key);
            name_ = std::move(name);
        } else {
            refusal_ = kind == worker_messages::kError ? read_error(reader).what() : kMalformed;
        }
    } catch (const Error&) {
        refusal_ = kMalformed;
    }
}

std::string CompilerProcess::why_lost() const {
    constexpr milliseconds kEndTime{2'000};  // for a core dump
    if (!refusal_.empty()) {
        return refusal_;
    }
    try {
        const std::optional<ProcessResult> end = process_->end_within(kEndTime);
        return end ? describe_end(*end) : "it closed its channel";
    } catch (const Error&) {  // the app ignores the ends of its children
        return "it has ended";
    }
}

}  // namespace jitune::internal
