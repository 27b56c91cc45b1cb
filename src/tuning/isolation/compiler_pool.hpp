// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
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
#include "support/fork_guard.hpp"
#include "support/log.hpp"
#include "tuning/isolation/compiler_process.hpp"

namespace jitune::internal {

/// Finds the command that runs run_compiler(). Throws Error(unavailable).
using FindCommand = std::function<std::filesystem::path()>;

/// Compiles in processes of their own, for three reasons: a compiler such as NVRTC lets in one
/// thread of a process at a time; within the app nothing can stop it, not even the end of the
/// process; and a crash costs only the program that it compiles. Starts as many processes as
/// threads call at once; idle ones end after a while. Compiles nothing in a fork of this process.
class CompilerPool final : public RemoteCompiler {
public:
    CompilerPool(PlatformKind platform, FindCommand find, Log log)
        : platform_(platform), find_(std::move(find)), log_(std::move(log)) {}
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
    /// Nobody: the caller has to compile.
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
    const ForkGuard fork_guard_;
    std::atomic<bool> can_start_{true};
    std::mutex mutex_;
    std::filesystem::path program_;     ///< once found
    std::optional<CompilerName> name_;  ///< of any process: they are all alike
    const std::shared_ptr<Idle> idle_ = std::make_shared<Idle>();
};

/// Makes every platform that this build has. Compilers that would work in this process work in
/// those of a pool instead, unless `find` is empty.
std::vector<std::unique_ptr<Platform>> make_platforms(const Log& log, const FindCommand& find);

}  // namespace jitune::internal
