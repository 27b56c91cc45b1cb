// SPDX-License-Identifier: Apache-2.0
#include "articles/step.hpp"

#include <string>

#include "template/template_headers.hpp"

namespace jitune::internal {

namespace embedded {

/// The files of articles/kernels.
extern const std::span<const File> articles;

}  // namespace embedded

Kernel load_step_kernel(const StepSet& set, const Step& step) {
    return {KernelTemplate(embedded_template(embedded::articles, step.file)), set.make_workload()};
}

Problem step_problem(const StepSet& set, const Step& step, const Kernel& kernel,
                     const StepInput& input) {
    Problem problem = set.problem(input);
    problem.kernel = kernel.kernel_template.front_matter().kernel;
    problem.types["step"] = step.name;
    if (step.outputs > 0) {
        problem.types["outputs"] = std::to_string(step.outputs);
    }
    return problem;
}

std::size_t input_bytes(const StepSet& set, const StepInput& input) {
    std::size_t bytes = bytes_of(input.type);
    for (const std::int64_t size : set.problem(input).sizes) {
        bytes *= static_cast<std::size_t>(size);
    }
    return bytes;
}

}  // namespace jitune::internal
