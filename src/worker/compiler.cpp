// SPDX-License-Identifier: Apache-2.0
#include "worker/compiler.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <optional>
#include <thread>
#include <vector>

#include "backend/platform_table.hpp"
#include "jitune/error.hpp"
#include "support/loop_clock.hpp"
#include "support/message_channel.hpp"
#include "tuning/compile_ahead.hpp"
#include "tuning/isolation/compile_request.hpp"
#include "tuning/isolation/worker_request.hpp"
#include "worker/parent_socket.hpp"

namespace jitune::internal {

namespace {

// Then its 40 MB go back to the machine. To start again costs 0.1 s.
constexpr std::chrono::seconds kLongestIdle{15};

/// Waits until the other end of the socket is closed and ends the process.
[[noreturn]] void end_with_parent() {
    pollfd parent{STDIN_FILENO, 0, 0};
    while ((parent.revents & (POLLHUP | POLLERR | POLLNVAL)) == 0) {
        ::poll(&parent, 1, -1);
    }
    ::_exit(0);
}

/// The compilers of the platforms that it has been asked for.
class Compilers {
public:
    std::vector<CompileOutcome> compile(const CompileRequest& request) {
        CompileFor& compile = loaded_[request.device.platform];
        if (!compile) {
            const MakeCompiler make = compiler_maker(request.device.platform);
            if (make == nullptr) {
                throw Error(ErrorKind::unavailable, "this platform's compiler is another program");
            }
            compile = make();
        }
        return compile(request.device, request.source, request.instances);
    }

private:
    std::map<PlatformKind, CompileFor> loaded_;
};

Message answer_to(const Message& message, Compilers& compilers) {
    Message answer;
    MessageWriter writer(answer);
    MessageReader reader(message);
    reader.text();  // the message's name
    const CompileRequest request = read_compile_request(reader);
    try {
        const std::vector<CompileOutcome> outcomes = compilers.compile(request);
        writer.text(compiler_messages::kOutcomes);
        write_outcomes(writer, outcomes);
    } catch (const Error& error) {
        answer = {worker_messages::kError};
        write_error(writer, error);
    }
    return answer;
}

/// Nothing where none comes for long, or the channel is closed.
std::optional<Message> next_request(MessageChannel& channel) {
    LoopClock time(kLongestIdle);
    std::optional<Message> message;
    do {
        message = channel.receive(kLongestIdle);  // nothing, too, after a part of a message
    } while (!message && !channel.closed() && time.turn() < kLongestIdle);
    return message;
}

}  // namespace

void run_compiler() {
    require_parent_socket("compiler", "compiles kernels");
    // Of this thread alone, which compiles. Nothing depends on it, so that a failure is ignored.
    const int niceness = ::getpriority(PRIO_PROCESS, static_cast<id_t>(::getppid()));
    ::setpriority(PRIO_PROCESS, 0, niceness + CompileAhead::kNiceness);
    std::thread(end_with_parent).detach();
    // A copy: end_with_parent() would take the end of the channel, by an error, for the parent's.
    MessageChannel channel{FileDescriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0))};
    Compilers compilers;
    bool heard = channel.send({worker_messages::kReady});
    while (heard) {
        const std::optional<Message> message = next_request(channel);
        heard = message && channel.send(answer_to(*message, compilers));
    }
    ::_exit(0);  // what the compiler would do at a usual end is of no use
}

}  // namespace jitune::internal
