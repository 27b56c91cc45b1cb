// SPDX-License-Identifier: Apache-2.0
#include "worker/compiler_process.hpp"

#include <chrono>
#include <utility>

#include "jitune/error.hpp"
#include "support/process.hpp"
#include "tuning/isolation/worker_request.hpp"

namespace jitune::internal {

CompilerProcess::CompilerProcess(const std::filesystem::path& program) {
    auto [ours, theirs] = MessageChannel::make_pair();
    channel_ = std::make_unique<MessageChannel>(std::move(ours));
    ProcessCommand command;
    command.program = program;
    command.arguments = {"compiler"};
    process_ = std::make_unique<ChildProcess>(command, ChildStreams{.input = theirs.number()});
}

std::optional<std::vector<CompileOutcome>> CompilerProcess::compile(const CompileRequest& request,
                                                                    CompileCall& call) {
    const std::stop_callback kill_it(call.stop, [this] { process_->kill(); });
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
    std::optional<Error> refusal;
    try {
        const std::optional<Message> answer = receive();
        if (!answer) {
            return std::nullopt;
        }
        MessageReader reader(*answer);
        if (const std::string name = reader.text(); name == compiler_messages::kOutcomes) {
            std::vector<CompileOutcome> outcomes = read_outcomes(reader);
            garbled_ = outcomes.size() != request.instances.size();
            return garbled_ ? std::nullopt : std::optional(std::move(outcomes));
        }
        refusal = read_error(reader);
    } catch (const Error&) {
        garbled_ = true;
        return std::nullopt;
    }
    throw Error(*refusal);
}

/// The answer to the last request; nothing where the channel is closed. Throws Error(unavailable)
/// for a malformed message.
std::optional<Message> CompilerProcess::receive() {
    constexpr std::chrono::milliseconds kForEver{-1};
    while (!channel_->closed()) {
        std::optional<Message> message = channel_->receive(kForEver);
        if (message && *message == Message{worker_messages::kReady}) {
            was_ready_ = true;
        } else if (message) {
            return message;
        }
    }
    return std::nullopt;
}

std::string CompilerProcess::why_lost() const {
    constexpr std::chrono::milliseconds kEndTime{2'000};  // for a core dump
    if (garbled_) {
        return "it sent a malformed message";
    }
    const std::optional<ProcessResult> end = process_->end_within(kEndTime);
    return end ? describe_end(*end) : "it closed its channel";
}

}  // namespace jitune::internal
