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
