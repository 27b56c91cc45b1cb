// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "support/file_descriptor.hpp"
#include "support/message.hpp"

namespace jitune::internal {

/// One end of a stream socket over which messages go both ways. Any thread may send; one receives.
class MessageChannel {
public:
    explicit MessageChannel(FileDescriptor socket) : socket_(std::move(socket)) {}

    /// Both ends of a new socket, closed on exec. Throws Error(unavailable).
    static std::pair<FileDescriptor, FileDescriptor> make_pair();

    /// Waits until the other end has room. False where the other end is gone. Never a SIGPIPE.
    bool send(const Message& message);

    /// The next message; nothing where none comes within `patience` (negative: for ever) or the
    /// other end is gone. Throws Error(unavailable) for what is no message.
    std::optional<Message> receive(std::chrono::milliseconds patience);

    /// The other end is gone and all that it sent has been received.
    [[nodiscard]] bool closed() const { return closed_; }

private:
    FileDescriptor socket_;
    std::mutex sending_;
    MessageBuffer received_;
    bool closed_ = false;
};

}  // namespace jitune::internal
