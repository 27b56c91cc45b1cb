// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "support/file_descriptor.hpp"
#include "support/message.hpp"

namespace jitune::internal {

/// One end of a stream socket that carries messages both ways. Any thread may send; one thread
/// receives.
class MessageChannel {
public:
    explicit MessageChannel(FileDescriptor socket) : socket_(std::move(socket)) {}

    /// Both ends of a new socket, closed on exec. Throws Error(unavailable).
    static std::pair<FileDescriptor, FileDescriptor> make_pair();

    /// Waits until the other end has room. False if the other end is closed. Never raises SIGPIPE.
    bool send(const Message& message);

    /// The next message; nothing if none arrives within `patience` (negative: wait for ever) or the
    /// other end is closed. Throws Error(unavailable) for a malformed message.
    std::optional<Message> receive(std::chrono::milliseconds patience);

    /// True if the other end is closed and every message from it has been received.
    [[nodiscard]] bool closed() const { return closed_; }

    /// The errno with which the system refused to send or to receive; 0 while it has not.
    [[nodiscard]] int error() const { return error_; }

private:
    FileDescriptor socket_;
    std::mutex sending_;
    MessageBuffer received_;
    bool closed_ = false;
    std::atomic<int> error_{0};
};

}  // namespace jitune::internal
