// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "backend/compile_for.hpp"
#include "backend/platform.hpp"
#include "support/log.hpp"
#include "support/message.hpp"
#include "support/process.hpp"
#include "support/process_identity.hpp"
#include "tuning/isolation/worker_request.hpp"

namespace jitune::internal {

/// A running `<program> compiler <platform>` (run_compiler()). The destructor kills it. Used by one
/// thread at a time.
class CompilerProcess {
public:
    /// Starts it, and does not wait until it is ready. Throws Error(unavailable) where it cannot be
    /// started.
    CompilerProcess(const std::filesystem::path& program, PlatformKind platform);

    /// One outcome per instance; nothing where the process is lost: it has ended, is not ready in
    /// time, or does not answer as a compiler of this build does. A stop of the `call` kills it.
    /// Throws the errors of the compiler.
    std::optional<std::vector<CompileOutcome>> compile(const CompileRequest& request,
                                                       CompileCall& call);

    /// Its compiler, once it is ready; nothing where the process is lost.
    std::optional<CompilerName> name();

    /// False once it has ended, as idle ones do by themselves.
    [[nodiscard]] bool lives() const;

    void kill() const { process_->kill(); }

    /// Whether it has ever been ready to compile.
    [[nodiscard]] bool was_ready() const { return name_.has_value(); }

    /// Why it is lost: "signal 11 (Segmentation fault)".
    [[nodiscard]] std::string why_lost() const;

private:
    std::optional<std::vector<CompileOutcome>> ask(const CompileRequest& request);
    std::optional<Message> receive(std::chrono::milliseconds patience);
    void greet(const Message& first);

    std::unique_ptr<MessageChannel> channel_;
    std::optional<CompilerName> name_;
    std::string refusal_;  ///< why it is none that this process can use
    std::unique_ptr<ChildProcess> process_;
};

/// Finds the command that runs run_compiler(). Throws Error(unavailable).
using FindCommand = std::function<std::filesystem::path()>;

/// Compiles in processes of their own: a compiler such as NVRTC lets in one thread of a process at
/// a time, nothing can stop it there, not even the end of the process, and a crash of it costs no
/// more than the program that it compiles. There are as many processes as threads have called at
/// once, and idle ones end after a while. In a fork of this process, nothing.
class CompilerPool final : public RemoteCompiler {
public:
    CompilerPool(PlatformKind platform, FindCommand find, Log log)
        : platform_(platform), find_(std::move(find)), log_(std::move(log)) {}
    ~CompilerPool() override;

    /// Nothing where no process can be started, or memory is short. After the end of a process, its
    /// instances are compiled one by one; one whose compiler ends again gets a CompileFailure. A
    /// stop of the `call` kills the process: then CompileStopped is thrown.
    std::optional<std::vector<CompileOutcome>> compile(const DeviceInfo& device,
                                                       const TemplateSource& source,
                                                       std::span<const Instance> instances,
                                                       CompileCall& call) override;
    std::optional<CompilerName> name() override;
    void expect(std::size_t threads) override;

private:
    struct Loss {
        std::string reason;
    };
    /// Nobody: the caller has to compile.
    using Attempt = std::variant<std::monostate, std::vector<CompileOutcome>, Loss>;
    using Process = std::unique_ptr<CompilerProcess>;

    /// The processes that wait. A thread that lives while there are some lets go of those that have
    /// ended by themselves; it may outlive the pool.
    struct Idle {
        std::mutex mutex;
        std::vector<Process> processes;
        bool is_watched = false;
    };
    static void watch(const std::shared_ptr<Idle>& idle);

    Attempt try_to_compile(const CompileRequest& request, CompileCall& call);
    /// An idle process, or a new one. Null where this process has to compile.
    Process take();
    Process start();
    void put_back(Process process);
    /// With the lock of idle_.
    void have_watched();
    void stay_in_this_process(const std::string& reason);

    const PlatformKind platform_;
    const FindCommand find_;
    const Log log_;
    const ForkGuard fork_guard_;
    std::atomic<bool> can_start_{true};
    std::mutex mutex_;
    std::filesystem::path program_;     ///< once found
    std::optional<CompilerName> name_;  ///< of any process: they are all alike
    const std::shared_ptr<Idle> idle_ = std::make_shared<Idle>();
};

/// Every platform that this build has. Where a compiler would work in this process, it is in those
/// of a pool instead, unless `find` is empty.
std::vector<std::unique_ptr<Platform>> make_platforms(const Log& log, const FindCommand& find);

}  // namespace jitune::internal
