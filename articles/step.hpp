// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "backend/platform_kind.hpp"
#include "jitune/element_type.hpp"
#include "template/kernel.hpp"
#include "template/problem.hpp"

namespace jitune::internal {

/// One kernel of an article, or jitune's own kernel beside them: a row of the table in
/// step_table.cpp.
struct Step {
    std::string_view article;  ///< "study notes"; "jitune" for jitune's own kernel
    std::string_view name;     ///< "v0": the value of the template's type parameter `step`
    std::string_view change;   ///< what is new against the step before, in a few words
    PlatformKind platform;     ///< of the devices that it runs on
    std::string_view file;     ///< its template in articles/kernels; empty for jitune's own kernel
    /// The value of the template's type parameter `outputs`, the outputs of one thread; 0 for a
    /// template without that parameter.
    int outputs = 0;

    [[nodiscard]] bool is_own() const { return file.empty(); }
};

/// The array that steps are measured on.
struct StepInput {
    ElementType type = ElementType::float32;
    std::int64_t size = 0;  ///< elements; for an entropy the rows, and columns, of a square array
    int radius = 0;         ///< of a stencil
};

/// The steps that compute the same as one of jitune's built-in kernels.
struct StepSet {
    std::string_view kernel;  ///< "reduce", as in `jitune_steps reduce`
    /// Article by article, each in its author's order; jitune's own kernel last on each platform.
    std::span<const Step> steps;
    bool times_copies = false;  ///< copies from and to host memory are timed, too

    /// The problem of jitune's own kernel. Throws Error(usage) for an input that it, or a step,
    /// cannot take.
    Problem (*problem)(const StepInput& input);
    /// jitune's own kernel for a device.
    const Kernel& (*own_kernel)(const Device& device);
    /// The data that steps are checked and timed with.
    std::unique_ptr<const Workload> (*make_workload)();
};

/// All sets, one for each of jitune's kernels that articles have treated.
std::span<const StepSet> step_sets();

/// The set of a kernel: "reduce", "stencil" or "entropy".
const StepSet& step_set(std::string_view kernel);

/// Parses the template of a step of an article.
Kernel load_step_kernel(const StepSet& set, const Step& step);

/// The problem of a step whose kernel load_step_kernel() has returned. Throws as StepSet::problem.
Problem step_problem(const StepSet& set, const Step& step, const Kernel& kernel,
                     const StepInput& input);

/// Bytes of the input array.
std::size_t input_bytes(const StepSet& set, const StepInput& input);

}  // namespace jitune::internal
