// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "articles/step.hpp"

namespace jitune::internal {

/// The steps of a set that are kernels of articles, on one platform.
inline std::vector<Step> article_steps(std::string_view kernel,
                                       PlatformKind platform = PlatformKind::cuda) {
    std::vector<Step> steps;
    for (const Step& step : step_set(kernel).steps) {
        if (!step.is_own() && step.platform == platform) {
            steps.push_back(step);
        }
    }
    return steps;
}

/// One of the articles' kernels with its problem on an input.
struct LoadedStep {
    LoadedStep(std::string_view set, const Step& step, const StepInput& input)
        : kernel(load_step_kernel(step_set(set), step)),
          problem(step_problem(step_set(set), step, kernel, input)) {}

    [[nodiscard]] const KernelTemplate& text() const { return kernel.kernel_template; }

    Kernel kernel;
    Problem problem;
};

}  // namespace jitune::internal
