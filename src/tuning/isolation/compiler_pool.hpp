// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "backend/compile_for.hpp"
#include "support/log.hpp"
#include "tuning/binary_cache.hpp"
#include "worker/compiler_process.hpp"

namespace jitune::internal {

/// Compiles in processes of their own, since a compiler such as NVRTC lets in one thread of a
/// process at a time, and a crash of it costs no more than the program that it compiles. There are
/// as many processes as threads have called at once. Thread-safe.
class CompilerPool {
public:
    /// `program compiler` runs run_compiler(). The log must outlive the pool.
    CompilerPool(std::filesystem::path program, const Log& log)
        : program_(std::move(program)), log_(log) {}

    /// Returns and throws as `here` does, and calls it where no process can be started, or memory
    /// is short. After the end of a process, its instances are compiled one by one; one whose
    /// compiler ends again gets a CompileFailure. A stop of the `call` kills the process, if there
    /// is one: then CompileStopped is thrown.
    std::vector<CompileOutcome> compile(const CompileFor& here, const DeviceInfo& device,
                                        const TemplateSource& source,
                                        std::span<const Instance> instances, CompileCall& call);
    /// As above, as device.compile() does.
    std::vector<CompileOutcome> compile(Device& device, const TemplateSource& source,
                                        std::span<const Instance> instances, CompileCall& call);

private:
    struct Loss {
        std::string reason;
    };
    std::variant<std::vector<CompileOutcome>, Loss> try_to_compile(const CompileFor& here,
                                                                   const CompileRequest& request,
                                                                   CompileCall& call);
    /// Null where this process has to compile.
    std::unique_ptr<CompilerProcess> take();
    void stay_in_this_process(const std::string& reason);

    const std::filesystem::path program_;
    const Log& log_;
    std::atomic<bool> can_start_{true};
    std::mutex mutex_;
    std::vector<std::unique_ptr<CompilerProcess>> idle_;
};

}  // namespace jitune::internal
