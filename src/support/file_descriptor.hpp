// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <string>
#include <utility>

#include "jitune/error.hpp"

namespace jitune::internal {

/// Throws Error(kind) "<tried>: <what the system says of `code`>" with that code, an errno.
[[noreturn]] void throw_system_error(ErrorKind kind, const std::string& tried, int code);

/// Owns a file descriptor: the destructor closes it. -1: none.
class FileDescriptor {
public:
    explicit FileDescriptor(int number = -1) : number_(number) {}
    ~FileDescriptor() { close(); }
    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }

    [[nodiscard]] int number() const { return number_; }
    void close() {
        if (number_ >= 0) {
            ::close(number_);
        }
        number_ = -1;
    }

private:
    int number_;
};

/// A pipe: `source` reads the bytes that `sink` writes. Reads never wait. Both ends close on exec.
struct Pipe {
    FileDescriptor source, sink;
};

/// Throws Error(unavailable).
Pipe make_pipe();

}  // namespace jitune::internal
