// SPDX-License-Identifier: Apache-2.0
#include "articles/stencil_steps.hpp"

#include <gtest/gtest.h>

#include "backend/cuda/nvrtc_compiler.hpp"
#include "families/stencil/stencil_kernel.hpp"
#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

Configuration standard() {
    const KernelTemplate& kernel = stencil_step_kernel().kernel_template;
    return Configuration::parse("threads_per_block=1024", kernel.front_matter().parameters);
}

TEST(StencilSteps, StageABlocksInputsInSharedMemoryOrNone) {
    const KernelTemplate& kernel = stencil_step_kernel().kernel_template;
    const auto launch = [&](StencilStep step) {
        const Problem problem = stencil_step_problem(step, ElementType::float32, 1 << 20, 25, 4);
        return kernel.launch_rule(problem, {}, standard()).plan(problem.sizes).launch.steps[0];
    };
    EXPECT_EQ(launch(StencilStep::shared).shared_bytes, (4096U + 50U) * 4U);
    EXPECT_EQ(launch(StencilStep::register_cache).shared_bytes, 0U);
    EXPECT_EQ(launch(StencilStep::shared).grid.x, 256U);
}

TEST(StencilSteps, AreOfInt32AndFloat32) {
    expect_error(ErrorKind::usage, "float64", [] {
        stencil_step_problem(StencilStep::shared, ElementType::float64, 1000, 1, 1);
    });
}

TEST(StencilSteps, CompileForTheRadiiAndCoarseningsOfTheTable) {
    std::shared_ptr<const NvrtcTable> nvrtc;
    try {
        nvrtc = load_nvrtc();
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    const KernelTemplate& kernel = stencil_step_kernel().kernel_template;
    std::vector<Instance> instances;
    for (const StencilStep step : {StencilStep::shared, StencilStep::register_cache}) {
        for (const auto& [radius, outputs] : {std::pair{1, 1}, {16, 8}, {32, 2}}) {
            for (const ElementType type : {ElementType::int32, ElementType::float32}) {
                instances.push_back(kernel.instance(
                    stencil_step_problem(step, type, 1 << 20, radius, outputs), standard()));
            }
        }
    }
    const auto outcomes = compile_instances(*nvrtc, kernel.source(), instances, 90);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const auto* failure = std::get_if<CompileFailure>(&outcomes[i]);
        EXPECT_EQ(failure, nullptr) << instances[i].expressions[0] << ": " << failure->log;
    }
}

}  // namespace
}  // namespace jitune::internal
