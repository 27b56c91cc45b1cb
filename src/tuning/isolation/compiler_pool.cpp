// SPDX-License-Identifier: Apache-2.0
#include "tuning/isolation/compiler_pool.hpp"

#include <stdlib.h>

#include <chrono>
#include <cstddef>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "backend/host/host_memory.hpp"
#include "backend/platform_table.hpp"
#include "jitune/error.hpp"
#include "support/folder_reader.hpp"
#include "support/loop_clock.hpp"
#include "support/process.hpp"
#include "support/thread_signals.hpp"
#include "tuning/isolation/worker_request.hpp"

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kForEver{-1};
constexpr const char* kMalformed = "it sent a malformed message";

}  // namespace

CompilerProcess::CompilerProcess(const std::filesystem::path& program, PlatformKind platform,
                                 const std::filesystem::path& headers) {
    auto [ours, theirs] = MessageChannel::make_pair();
    channel_ = std::make_unique<MessageChannel>(std::move(ours));
    ProcessCommand command;
    command.program = program;
    command.arguments = {"compiler", std::string(to_string(platform))};
    if (std::string name = headers / "headers-XXXXXX";
        !headers.empty() && ::mkdtemp(name.data()) != nullptr) {
        headers_ = name;
        command.arguments.push_back(name);
    }
    process_ = std::make_unique<ChildProcess>(command, ChildStreams{.input = theirs.number()});
}

CompilerProcess::~CompilerProcess() {
    process_.reset();
    if (!headers_.empty()) {
        remove_tree(headers_);
    }
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

CompilerPool::~CompilerPool() {
    if (fork_guard_.forked()) {  // they are the parent's, and nobody else has the lock
        for (Process& process : idle_->processes) {
            static_cast<void>(process.release());
        }
        return;
    }
    const std::lock_guard lock(idle_->mutex);
    for (const Process& process : idle_->processes) {  // all at once, before any is waited for
        process->kill();
    }
    idle_->processes.clear();
}

std::optional<std::vector<CompileOutcome>> CompilerPool::compile(
    const DeviceInfo& device, const TemplateSource& source, std::span<const Instance> instances,
    CompileCall& call) {
    using Outcomes = std::vector<CompileOutcome>;
    CompileRequest request{device, source, {instances.begin(), instances.end()}};
    Attempt together = try_to_compile(request, call);
    if (auto* const outcomes = std::get_if<Outcomes>(&together)) {
        return std::move(*outcomes);
    }
    if (std::holds_alternative<std::monostate>(together)) {
        return std::nullopt;
    }
    log_.info("a compiler process has ended ({}); what it compiled is compiled one by one",
              std::get<Loss>(together).reason);
    Outcomes all;
    for (const Instance& instance : instances) {
        request.instances = {instance};
        Attempt alone = try_to_compile(request, call);
        if (auto* const outcome = std::get_if<Outcomes>(&alone)) {
            all.push_back(std::move(outcome->front()));
        } else if (const auto* const loss = std::get_if<Loss>(&alone)) {
            all.emplace_back(CompileFailure{"the compiler took its process down: " + loss->reason});
        } else {
            return std::nullopt;
        }
    }
    return all;
}

CompilerPool::Attempt CompilerPool::try_to_compile(const CompileRequest& request,
                                                   CompileCall& call) {
    Process process = take();
    if (process == nullptr) {
        return std::monostate();
    }
    if (std::optional<std::vector<CompileOutcome>> outcomes = process->compile(request, call)) {
        if (!call.stop.stop_requested()) {  // else it may be killed
            put_back(std::move(process));
        }
        return std::move(*outcomes);
    }
    if (call.stop.stop_requested()) {
        throw CompileStopped();
    }
    if (process->was_ready()) {
        return Loss{process->why_lost()};
    }
    stay_in_this_process("it was not ready: " + process->why_lost());
    return std::monostate();
}

std::optional<CompilerName> CompilerPool::name() {
    {
        const std::lock_guard lock(mutex_);
        if (name_) {
            return name_;
        }
    }
    Process process = take();
    std::optional<CompilerName> name = process == nullptr ? std::nullopt : process->name();
    if (name) {
        put_back(std::move(process));
        const std::lock_guard lock(mutex_);
        name_ = name;
    } else if (process != nullptr) {
        stay_in_this_process("it was not ready: " + process->why_lost());
    }
    return name;
}

void CompilerPool::expect(std::size_t threads) {
    std::size_t there = 0;
    {
        const std::lock_guard lock(idle_->mutex);
        there = idle_->processes.size();
    }
    std::vector<Process> started;
    while (there + started.size() < threads) {
        Process process = start();
        if (process == nullptr) {
            break;
        }
        started.push_back(std::move(process));
    }
    const std::lock_guard lock(idle_->mutex);
    for (Process& process : started) {  // take() gets the first one first: it is ready first
        idle_->processes.insert(idle_->processes.begin(), std::move(process));
    }
    have_watched();
}

CompilerPool::Process CompilerPool::take() {
    while (!fork_guard_.forked()) {
        Process process;
        {
            const std::lock_guard lock(idle_->mutex);
            if (idle_->processes.empty()) {
                break;
            }
            process = std::move(idle_->processes.back());
            idle_->processes.pop_back();
        }
        if (process->lives()) {
            return process;
        }
    }
    return start();
}

CompilerPool::Process CompilerPool::start() {
    // A process has some 40 MB of its own, and more while it compiles a large kernel.
    constexpr std::size_t kMemoryToStart = std::size_t{1} << 30;
    if (!can_start_ || fork_guard_.forked() || available_memory() < kMemoryToStart) {
        return nullptr;
    }
    try {
        std::filesystem::path program;
        {
            const std::lock_guard lock(mutex_);
            if (program_.empty()) {
                program_ = find_();
            }
            program = program_;
        }
        return std::make_unique<CompilerProcess>(program, platform_, headers_);
    } catch (const Error& error) {
        stay_in_this_process(error.what());
        return nullptr;
    }
}

void CompilerPool::put_back(Process process) {
    const std::lock_guard lock(idle_->mutex);
    idle_->processes.push_back(std::move(process));
    have_watched();
}

void CompilerPool::have_watched() {
    if (idle_->is_watched || idle_->processes.empty()) {
        return;
    }
    const SignalsBlocked blocked;
    try {
        std::thread([idle = idle_] { watch(idle); }).detach();
        idle_->is_watched = true;
    } catch (const std::system_error&) {  // those that have ended stay until others are taken
    }
}

void CompilerPool::watch(const std::shared_ptr<Idle>& idle) {
    constexpr std::chrono::seconds kGlance{2};
    while (true) {
        std::this_thread::sleep_for(kGlance);
        const std::lock_guard lock(idle->mutex);
        std::erase_if(idle->processes, [](const Process& one) { return !one->lives(); });
        if (idle->processes.empty()) {
            idle->is_watched = false;
            return;
        }
    }
}

void CompilerPool::stay_in_this_process(const std::string& reason) {
    if (can_start_.exchange(false)) {
        log_.info("no further compiler process is started ({}); threads compile", reason);
    }
}

std::vector<std::unique_ptr<Platform>> make_platforms(const Log& log, const FindCommand& find,
                                                      const std::filesystem::path& headers) {
    std::vector<std::unique_ptr<Platform>> made;
    for (const PlatformEntry& entry : platforms()) {
        const bool is_in_this_process = entry.make_compiler != nullptr;
        made.push_back(
            entry.make(log, is_in_this_process && find
                                ? std::make_shared<CompilerPool>(entry.kind, find, log, headers)
                                : nullptr));
    }
    return made;
}

}  // namespace jitune::internal
