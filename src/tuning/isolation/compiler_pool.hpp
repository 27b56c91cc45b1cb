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

/// A running `<program> compiler <platform> [<folder>]` (run_compiler()). The destructor kills it.
/// Used by one thread at a time.
class CompilerProcess {
public:
    /// Starts it, and does not wait until it is ready. Throws Error(unavailable) if it cannot be
    /// started.
    /// `headers`: see CompilerPool.
    CompilerProcess(const std::filesystem::path& program, PlatformKind platform,
                    const std::filesystem::path& headers);
    ~CompilerProcess();
    CompilerProcess(const CompilerProcess&) = delete;
    CompilerProcess& operator=(const CompilerProcess&) = delete;

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
    std::string refusal_;            ///< why this process cannot use it
    std::filesystem::path headers_;  ///< its own folder; removed with it
    std::unique_ptr<ChildProcess> process_;
};

/// Finds the command that runs run_compiler(). Throws Error(unavailable).
using FindCommand = std::function<std::filesystem::path()>;

/// Compiles in processes of their own, for three reasons: a compiler such as NVRTC lets in one
/// thread of a process at a time; within the app nothing can stop it, not even the end of the
/// process; and a crash costs only the program that it compiles. Starts as many processes as
/// threads call at once; idle ones end after a while. Compiles nothing in a fork of this process.
class CompilerPool final : public RemoteCompiler {
public:
    /// Compilers keep precompiled headers in `headers` while they run, some 100 MB each; empty:
    /// they keep none. The folder's owner removes what the end of this process leaves there.
    CompilerPool(PlatformKind platform, FindCommand find, Log log,
                 std::filesystem::path headers = {})
        : platform_(platform),
          find_(std::move(find)),
          log_(std::move(log)),
          headers_(std::move(headers)) {}
    ~CompilerPool() override;

    /// Returns nothing if no process can be started or memory is short. If a process ends, its
    /// instances are compiled one by one; an instance whose compiler ends again gets a
    /// CompileFailure. A stop of the `call` kills the process and throws CompileStopped.
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
    /// monostate: no process can compile, so that the caller has to.
    using Attempt = std::variant<std::monostate, std::vector<CompileOutcome>, Loss>;
    using Process = std::unique_ptr<CompilerProcess>;

    /// The idle processes. While there are any, a thread watches them and removes those that have
    /// ended by themselves; it may outlive the pool.
    struct Idle {
        std::mutex mutex;
        std::vector<Process> processes;
        bool is_watched = false;
    };
    static void watch(const std::shared_ptr<Idle>& idle);

    Attempt try_to_compile(const CompileRequest& request, CompileCall& call);
    /// Takes an idle process, or starts one. Null if this process has to compile itself.
    Process take();
    Process start();
    void put_back(Process process);
    /// Starts the thread that watches idle processes. The caller holds the lock of idle_.
    void have_watched();
    void stay_in_this_process(const std::string& reason);

    const PlatformKind platform_;
    const FindCommand find_;
    const Log log_;
    const std::filesystem::path headers_;
    const ForkGuard fork_guard_;
    std::atomic<bool> can_start_{true};
    std::mutex mutex_;
    std::filesystem::path program_;     ///< once found
    std::optional<CompilerName> name_;  ///< of any process: they are all alike
    const std::shared_ptr<Idle> idle_ = std::make_shared<Idle>();
};

/// Makes every platform that this build has. Compilers that would work in this process work in
/// those of a pool instead, unless `find` is empty. `headers`: see CompilerPool.
std::vector<std::unique_ptr<Platform>> make_platforms(const Log& log, const FindCommand& find,
                                                      const std::filesystem::path& headers = {});

}  // namespace jitune::internal
