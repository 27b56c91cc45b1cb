// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "support/child_process.hpp"
#include "support/message_channel.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {

/// A running `<program> worker <folder for its temporary files>`, to which worker_request.hpp is
/// spoken. Killed with the object, and all that it has started. Used by one thread.
class WorkerProcess {
public:
    /// Starts it and waits until it is ready. Throws Error(unavailable) where it cannot be started
    /// or is of another version.
    explicit WorkerProcess(const std::filesystem::path& program);

    void send(const Message& message) { channel_->send(message); }

    /// The next message; nothing where none comes within `patience` or there will be none.
    std::optional<Message> receive(std::chrono::milliseconds patience);

    /// It has ended, or says what cannot be understood.
    [[nodiscard]] bool lost() const { return garbled_ || channel_->closed(); }

    /// How it ended and the end of what it wrote to standard error: "signal 11 (Segmentation
    /// fault)". Kills it where it has not ended by now.
    [[nodiscard]] std::string last_words();

private:
    void read_errors();

    const TempDir scratch_;  // what compilers leave there when they are killed goes with it
    std::unique_ptr<MessageChannel> channel_;
    FileDescriptor errors_;
    std::string written_;  // the end of what it wrote there
    bool garbled_ = false;
    std::unique_ptr<ChildProcess> process_;
};

}  // namespace jitune::internal
