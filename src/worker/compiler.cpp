// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "backend/platform_table.hpp"
#include "jitune/error.hpp"
#include "support/folder_reader.hpp"
#include "support/loop_clock.hpp"
#include "support/message.hpp"
#include "tuning/isolation/worker_request.hpp"
#include "tuning/search/compile_ahead.hpp"

namespace jitune::internal {

namespace {

// Then its 40 MB go back to the machine. To start again costs 0.1 s.
constexpr std::chrono::seconds kLongestIdle{15};

/// Ends the process without what the compiler would do at a usual end, which is of no use. Removes
/// the folder `headers`: if the parent has ended, nobody else does so soon.
[[noreturn]] void end_without(const std::filesystem::path& headers) {
    if (!headers.empty()) {
        remove_tree(headers);
    }
    ::_exit(0);
}

/// Waits until the other end of the socket is closed.
[[noreturn]] void end_with_parent(const std::filesystem::path& headers) {
    pollfd parent{STDIN_FILENO, 0, 0};
    while ((parent.revents & (POLLHUP | POLLERR | POLLNVAL)) == 0) {
        ::poll(&parent, 1, -1);
    }
    end_without(headers);
}

OwnCompiler load(std::string_view platform, const std::filesystem::path& headers) {
    const auto kind = platform_from(platform);
    const MakeCompiler make = kind ? platform_entry(*kind).make_compiler : nullptr;
    if (make == nullptr) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("this build has no compiler of its own for {}", platform));
    }
    return make(headers);
}

Message error_message(const Error& error) {
    Message message{worker_messages::kError};
    MessageWriter writer(message);
    write_error(writer, error);
    return message;
}

Message answer_to(const Message& message, const OwnCompiler& compiler) {
    Message answer;
    MessageWriter writer(answer);
    MessageReader reader(message);
    reader.text();  // the message's name
    const CompileRequest request = read_compile_request(reader);
    try {
        const std::vector<CompileOutcome> outcomes =
            compiler.compile(request.device, request.source, request.instances);
        writer.text(compiler_messages::kOutcomes);
        write_outcomes(writer, outcomes);
    } catch (const Error& error) {
        answer = error_message(error);
    }
    return answer;
}

/// Nothing if none comes for long, or the channel is closed.
std::optional<Message> next_request(MessageChannel& channel) {
    LoopClock time(kLongestIdle);
    std::optional<Message> message;
    do {
        message = channel.receive(kLongestIdle);  // nothing, too, after a part of a message
    } while (!message && !channel.closed() && time.turn() < kLongestIdle);
    return message;
}

/// Answers what comes over the channel, for a while after the last request.
void serve(MessageChannel& channel, std::string_view platform,
           const std::filesystem::path& headers) {
    OwnCompiler compiler;
    Message first{worker_messages::kReady, worker_messages::protocol()};
    try {
        compiler = load(platform, headers);
        MessageWriter(first).fields(compiler.name.version, compiler.name.key);
    } catch (const Error& error) {
        first = error_message(error);
    }
    bool heard = channel.send(first) && compiler.compile;
    while (heard) {
        const std::optional<Message> message = next_request(channel);
        heard = message && channel.send(answer_to(*message, compiler));
    }
}

}  // namespace

void run_compiler(std::string_view platform, const std::filesystem::path& headers) {
    require_parent_socket("compiler", "compiles kernels");
    // Of this thread alone, which compiles. Nothing depends on it, so that a failure is ignored.
    const int niceness = ::getpriority(PRIO_PROCESS, static_cast<id_t>(::getppid()));
    ::setpriority(PRIO_PROCESS, 0, niceness + CompileAhead::kNiceness);
    std::thread(end_with_parent, headers).detach();
    // end_with_parent() gets a copy of the channel: it would take a channel that an error has
    // closed for the parent's end.
    MessageChannel channel{FileDescriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0))};
    serve(channel, platform, headers);
    end_without(headers);
}

}  // namespace jitune::internal
