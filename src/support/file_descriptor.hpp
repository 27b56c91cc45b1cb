// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <utility>

namespace jitune::internal {

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
