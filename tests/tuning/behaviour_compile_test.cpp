// SPDX-License-Identifier: Apache-2.0
// That the behaviour kernel is what it says for NVRTC, too: a GPU is rarely at hand.

#include "attack/zoo.hpp"
#include "backend/cuda/compile/nvrtc_compiler.hpp"
#include "fixtures/behaviour_kernel.hpp"
#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

TEST(BehaviourCompile, OnlyTheCompileErrorFails) {
    std::shared_ptr<const NvrtcTable> nvrtc;
    try {
        nvrtc = load_nvrtc();
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    std::vector<std::string> spec{"behaviour", "cuda", "1"};
    for (const Behaviour& one : zoo(PlatformKind::cuda)) {
        if (one.name != "endless_compile") {
            spec.emplace_back(one.name);
        }
    }
    const Kernel kernel = behaviour_kernel(spec);
    const KernelTemplate& source = kernel.kernel_template;
    const SearchSpace space = source.space(behaviour_problem(8), {});
    for (std::size_t i = 0; i < space.size(); ++i) {
        const Instance instance = source.instance(behaviour_problem(8), space.at(i));
        const CompileOutcome outcome =
            compile_instances(*nvrtc, source.source(), std::span(&instance, 1), 90).front();
        const auto* failure = std::get_if<CompileFailure>(&outcome);
        const bool is_bad = space.at(i).text().find("compile_error") != std::string::npos;
        EXPECT_EQ(failure != nullptr, is_bad)
            << space.at(i).text() << (failure != nullptr ? failure->log : "");
    }
}

}  // namespace
}  // namespace jitune::internal
