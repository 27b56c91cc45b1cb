// SPDX-License-Identifier: Apache-2.0
#include "articles/stencil_steps.hpp"

#include "families/stencil/stencil_kernel.hpp"
#include "families/stencil/stencil_workload.hpp"
#include "jitune/error.hpp"
#include "template/template_headers.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kAligned = 16;

detail::StencilRequest request_of(ElementType type, std::int64_t n, int radius) {
    return {type, {.radius = radius, .mean = true, .boundary = Boundary::valid}, n};
}

}  // namespace

std::string_view to_string(StencilStep step) {
    return step == StencilStep::shared ? "shared" : "register_cache";
}

const Kernel& stencil_step_kernel() {
    static const Kernel& kernel =
        *new Kernel{KernelTemplate(embedded_template(embedded::articles, "stencil.cu")),
                    std::make_unique<StencilWorkload>()};
    return kernel;
}

Problem stencil_step_problem(StencilStep step, ElementType type, std::int64_t n, int radius,
                             int outputs_per_thread) {
    refuse_other_types(type);
    Problem problem = stencil_problem(request_of(type, n, radius), kAligned);
    problem.kernel = stencil_step_kernel().kernel_template.front_matter().kernel;
    problem.types["step"] = to_string(step);
    problem.types["outputs"] = std::to_string(outputs_per_thread);
    return problem;
}

StencilStepRunner::StencilStepRunner(Engine& engine, Device& device, ElementType type,
                                     std::int64_t n, const std::atomic<bool>& stop)
    : engine_(engine), device_(device), type_(type), n_(n), stop_(stop) {
    refuse_host_steps(device);
    refuse_other_types(type);
    device.compiler();  // without one, no step would get anywhere
}

StepRow StencilStepRunner::run(StencilStep step, int radius, int outputs_per_thread) {
    return attempt_step([&](StepRow& row) {
        const Problem problem = stencil_step_problem(step, type_, n_, radius, outputs_per_thread);
        row.standard = time_step({device_, stencil_step_kernel(), problem}, 1, stop_, binaries_,
                                 engine_.log());
    });
}

StepRow StencilStepRunner::run_own(int radius) {
    return attempt_step([&](StepRow& row) {
        const Options& options = engine_.options();
        const Winner winner =
            engine_
                .tune_and_store(
                    {device_, stencil_kernel(PlatformKind::cuda),
                     stencil_problem(request_of(type_, n_, radius), kAligned)},
                    {.strategy = options.strategy, .seed = options.seed, .budget = options.budget},
                    {.stop = &stop_})
                .winner;
        row.standard = {winner.configuration, winner.median_ns, winner.noise};
    });
}

}  // namespace jitune::internal
