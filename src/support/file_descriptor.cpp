// SPDX-License-Identifier: Apache-2.0
#include "support/file_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

void check_pipe(const char* call, int answer) {
    if (answer < 0) {
        const int code = errno;
        throw Error(ErrorKind::unavailable,
                    std::string("cannot make a pipe for the output of a program: ") + call + ": " +
                        std::generic_category().message(code),
                    {NativeCode::Source::system, code});
    }
}

}  // namespace

Pipe make_pipe() {
    std::array<int, 2> ends{};
    check_pipe("pipe2", ::pipe2(ends.data(), O_CLOEXEC));
    Pipe pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
    check_pipe("fcntl", ::fcntl(pipe.source.number(), F_SETFL, O_NONBLOCK));
    return pipe;
}

}  // namespace jitune::internal
