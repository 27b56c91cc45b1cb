// SPDX-License-Identifier: Apache-2.0
#include "support/file_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace jitune::internal {
namespace {

void check_pipe(const std::string& call, int answer) {
    if (answer < 0) {
        throw_system_error(ErrorKind::unavailable,
                           "cannot make a pipe for the output of a program: " + call, errno);
    }
}

}  // namespace

void throw_system_error(ErrorKind kind, const std::string& tried, int code) {
    throw Error(kind, tried + ": " + std::generic_category().message(code),
                {NativeCode::Source::system, code});
}

Pipe make_pipe() {
    std::array<int, 2> ends{};
    check_pipe("pipe2", ::pipe2(ends.data(), O_CLOEXEC));
    Pipe pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
    check_pipe("fcntl", ::fcntl(pipe.source.number(), F_SETFL, O_NONBLOCK));
    return pipe;
}

}  // namespace jitune::internal
