// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/child_process.hpp"
#include "support/message_channel.hpp"
#include "tuning/binary_cache.hpp"
#include "tuning/isolation/compile_request.hpp"

namespace jitune::internal {

/// A running `<program> compiler` (run_compiler()). The destructor kills it. Used by one thread at
/// a time.
class CompilerProcess {
public:
    /// Throws Error(unavailable) where it cannot be started.
    explicit CompilerProcess(const std::filesystem::path& program);

    /// One outcome per instance; nothing where the process is lost: it has ended, or does not
    /// answer as a compiler does. A stop of the `call` kills it. Throws the errors of the compiler
    /// (Error(unavailable): there is none).
    std::optional<std::vector<CompileOutcome>> compile(const CompileRequest& request,
                                                       CompileCall& call);

    /// False once it has ended, as idle ones do by themselves.
    [[nodiscard]] bool lives() const { return !process_->end(); }

    /// Whether it has ever been ready to compile.
    [[nodiscard]] bool was_ready() const { return was_ready_; }

    /// Why it is lost: "signal 11 (Segmentation fault)".
    [[nodiscard]] std::string why_lost() const;

private:
    std::optional<std::vector<CompileOutcome>> ask(const CompileRequest& request);
    std::optional<Message> receive();

    std::unique_ptr<MessageChannel> channel_;
    bool was_ready_ = false;
    bool garbled_ = false;
    std::unique_ptr<ChildProcess> process_;
};

}  // namespace jitune::internal
