// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "jitune/error.hpp"
#include "support/message.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"
#include "support/time_source.hpp"

namespace jitune::internal {

/// A worker has ended before it was ready, because the system lacks memory or kills it, for
/// instance.
class WorkerEnded : public Error {
public:
    using Error::Error;
};

/// A running `<program> worker <folder for its temporary files>`, which understands the messages of
/// worker_request.hpp. The destructor kills it and every process that it has started. Used by one
/// thread.
class WorkerProcess {
public:
    /// Starts it at this nice value and waits, by `source`, until it is ready. Throws
    /// Error(unavailable) if it cannot be started, if it is another build's worker, or if `stop`
    /// has become true and it is not ready `after_stop` after its start. Throws WorkerEnded if it
    /// ends.
    WorkerProcess(const std::filesystem::path& program, int nice, const std::atomic<bool>& stop,
                  std::chrono::milliseconds after_stop, const TimeSource& source);

    void send(const Message& message) { ended_ = !channel_->send(message) || ended_; }

    /// The next message. Returns nothing if no message comes within `patience`, or if the worker is
    /// lost.
    std::optional<Message> receive(std::chrono::milliseconds patience);

    /// True if the worker has ended, cannot be reached, or has sent a malformed message.
    [[nodiscard]] bool lost() const { return garbled_ || ended_ || channel_->closed(); }

    /// How it ended, with the last text that it wrote to standard error: "signal 11 (Segmentation
    /// fault)". Kills it if it has not ended yet.
    [[nodiscard]] std::string last_words();

private:
    void wait_until_ready(const std::filesystem::path& program, const std::atomic<bool>& stop,
                          std::chrono::milliseconds after_stop, const TimeSource& source);
    /// Throws the error of a program whose first message is another than that of a worker.
    [[noreturn]] void refuse(const std::filesystem::path& program, const Message& first);
    std::optional<ProcessResult> wait_for_end();
    void read_errors();

    const TempDir scratch_;  // removed with all files that killed compilers leave there
    std::unique_ptr<MessageChannel> channel_;
    FileDescriptor errors_;
    std::string written_;  // the end of the text from there
    bool prints_ = false;  // there was text at the last look
    bool garbled_ = false;
    bool ended_ = false;
    std::unique_ptr<ChildProcess> process_;
};

}  // namespace jitune::internal
