// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/compile_for.hpp"
#include "support/child_process.hpp"
#include "support/message_channel.hpp"
#include "tuning/isolation/compile_request.hpp"

namespace jitune::internal {

/// A running `<program> compiler <platform>` (run_compiler()). The destructor kills it. Used by one
/// thread at a time.
class CompilerProcess {
public:
    /// Starts it, and does not wait until it is ready. Throws Error(unavailable) if it cannot be
    /// started.
    CompilerProcess(const std::filesystem::path& program, PlatformKind platform);

    /// Returns one outcome per instance. Returns nothing if the process is lost: it has ended, is
    /// not ready in time, or does not answer as a compiler of this build does. A stop of the `call`
    /// kills it. Throws the errors of the compiler.
    std::optional<std::vector<CompileOutcome>> compile(const CompileRequest& request,
                                                       CompileCall& call);

    /// Waits until the process is ready, and returns the name of its compiler; nothing if the
    /// process is lost.
    std::optional<CompilerName> name();

    /// False once the process has ended, as idle processes do by themselves.
    [[nodiscard]] bool lives() const;

    void kill() const { process_->kill(); }

    /// True if the process has ever been ready to compile.
    [[nodiscard]] bool was_ready() const { return name_.has_value(); }

    /// Why the process is lost: "signal 11 (Segmentation fault)".
    [[nodiscard]] std::string why_lost() const;

private:
    std::optional<std::vector<CompileOutcome>> ask(const CompileRequest& request);
    std::optional<Message> receive(std::chrono::milliseconds patience);
    void greet(const Message& first);

    std::unique_ptr<MessageChannel> channel_;
    std::optional<CompilerName> name_;
    std::string refusal_;  ///< why this process cannot use it
    std::unique_ptr<ChildProcess> process_;
};

}  // namespace jitune::internal
