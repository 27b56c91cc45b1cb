// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

#include "articles/step_runner.hpp"

namespace jitune::internal {

/// The two kernels of the article on the register cache, as docs/reference/article_steps.md shows
/// them: the mean of 2 radius + 1 neighbours in shared memory and by shuffles. They run on CUDA
/// devices.
enum class StencilStep { shared, register_cache };

/// "shared", "register_cache": the type `step` of the template.
std::string_view to_string(StencilStep step);

/// The template with both, with the stencils' workload. Parsed once.
const Kernel& stencil_step_kernel();

/// Of n elements and so many outputs for each thread. Throws Error(usage) for other types than
/// int32 and float32.
Problem stencil_step_problem(StencilStep step, ElementType type, std::int64_t n, int radius,
                             int outputs_per_thread);

/// Checks and times them, and jitune's own stencil, in the rig of tuning. Used by one thread.
class StencilStepRunner {
public:
    /// `stop` ends a search early when it becomes true. Throws Error(usage) for a type that the
    /// steps do not have and for a device that is not CUDA's.
    StencilStepRunner(Engine& engine, Device& device, ElementType type, std::int64_t n,
                      const std::atomic<bool>& stop);

    /// In the article's block size. Throws Error(device) when the device is lost,
    /// Error(unavailable) when there is no compiler.
    StepRow run(StencilStep step, int radius, int outputs_per_thread);

    /// jitune's own mean, tuned and stored within the engine's budget. Throws as run() does.
    StepRow run_own(int radius);

private:
    Engine& engine_;
    Device& device_;
    ElementType type_;
    std::int64_t n_;
    const std::atomic<bool>& stop_;
    BinaryCache binaries_;
};

}  // namespace jitune::internal
