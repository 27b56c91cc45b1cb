// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "articles/articles.hpp"
#include "backend/cuda/compile/nvrtc_compiler.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

Configuration in_blocks_of_1024(const KernelTemplate& kernel) {
    return Configuration::parse("threads_per_block=1024", kernel.front_matter().parameters);
}

TEST(StencilSteps, StageTheInputsOfABlockInSharedMemoryOrNone) {
    const auto launch = [&](std::string_view name) {
        for (const Step& step : article_steps("stencil")) {
            if (step.name == name && step.outputs == 4) {
                const LoadedStep loaded("stencil", step, {ElementType::float32, 1 << 20, 25});
                return loaded.text()
                    .launch_rule(loaded.problem, {}, in_blocks_of_1024(loaded.text()))
                    .plan(loaded.problem.sizes)
                    .launch.steps[0];
            }
        }
        throw std::out_of_range(std::string(name));
    };
    EXPECT_EQ(launch("shared").shared_bytes, (4096U + 50U) * 4U);
    EXPECT_EQ(launch("register_cache").shared_bytes, 0U);
    EXPECT_EQ(launch("shared").grid.x, 256U);
}

TEST(StencilSteps, CompileForTheSmallestAndTheLargestRadius) {
    std::shared_ptr<const NvrtcTable> nvrtc;
    try {
        nvrtc = load_nvrtc();
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    std::vector<Instance> instances;
    TemplateSource source;
    for (const Step& step : article_steps("stencil")) {
        for (const int radius : {1, 16, 32}) {
            for (const ElementType type : {ElementType::int32, ElementType::float32}) {
                const LoadedStep loaded("stencil", step, {type, 1 << 20, radius});
                instances.push_back(
                    loaded.text().instance(loaded.problem, in_blocks_of_1024(loaded.text())));
                source = loaded.text().source();
            }
        }
    }
    const auto outcomes = compile_instances(*nvrtc, source, instances, 90);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const auto* failure = std::get_if<CompileFailure>(&outcomes[i]);
        EXPECT_EQ(failure, nullptr) << instances[i].expressions[0] << ": " << failure->log;
    }
}

}  // namespace
}  // namespace jitune::internal
