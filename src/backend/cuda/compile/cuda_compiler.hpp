// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "backend/compile_for.hpp"
#include "backend/cuda/compile/nvrtc_compiler.hpp"

namespace jitune::internal {

/// NVRTC, without the driver. See MakeCompiler.
OwnCompiler make_cuda_compiler(const std::filesystem::path& folder);

/// NVRTC for the devices of a platform. It runs in other processes if there are some, else in this
/// one, which loads it when it is first needed. Thread-safe.
class CudaCompiler {
public:
    using Loader = std::function<std::shared_ptr<const NvrtcTable>()>;
    explicit CudaCompiler(Loader loader, std::shared_ptr<RemoteCompiler> remote = nullptr)
        : loader_(std::move(loader)), remote_(std::move(remote)) {}

    /// Compiles as compile_instances() does. Throws what the loader throws, and calls the loader
    /// again the next time.
    std::vector<CompileOutcome> compile(int compute_capability, const TemplateSource& source,
                                        std::span<const Instance> instances, CompileCall& call);

    /// Throws as compile() does.
    CompilerName name();

    /// See Device::expect_compiles().
    void expect(std::size_t threads);

private:
    const NvrtcTable& nvrtc();

    const Loader loader_;
    const std::shared_ptr<RemoteCompiler> remote_;
    std::mutex mutex_;
    std::shared_ptr<const NvrtcTable> table_;
    std::atomic<bool> is_used_{false};  ///< table_ has compiled
};

/// A command of nvcc with those of NVRTC's options that nvcc knows. At its end the text has lines
/// for nvcc that instantiate what NVRTC is asked for by name. Throws Error(unavailable).
CompileRecipe make_cuda_recipe(const DeviceInfo& device, const TemplateSource& source,
                               const Instance& instance);
/// The recipe with this NVRTC.
CompileRecipe make_cuda_recipe(const NvrtcTable& nvrtc, const DeviceInfo& device,
                               const TemplateSource& source, const Instance& instance);

}  // namespace jitune::internal
