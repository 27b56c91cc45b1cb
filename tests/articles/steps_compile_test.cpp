// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "articles/reduction_steps.hpp"
#include "backend/cuda/image_check.hpp"
#include "backend/cuda/nvrtc_compiler.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

/// A device of this architecture, as far as the steps can tell.
DeviceInfo device(int architecture) {
    DeviceInfo info;
    info.attributes = {{"sm_count", 100},
                       {"max_threads_per_block", 1024},
                       {"max_threads_per_sm", architecture == 75 ? 1024 : 2048},
                       {"compute_capability", architecture}};
    return info;
}

/// The default of a step and the two ends of its space, each once.
std::vector<Instance> instances(const ReductionStep& step, ElementType type, int architecture) {
    const KernelTemplate& kernel = step_kernel(step).kernel_template;
    const Problem problem = step_problem(step, type, 1 << 25);
    const SearchSpace space = kernel.space(problem, device(architecture));
    std::set<std::vector<std::string>> seen;
    std::vector<Instance> result;
    for (const Configuration& one :
         {kernel.default_configuration(space), space.at(0), space.at(space.size() - 1)}) {
        Instance instance = kernel.instance(problem, one);
        if (seen.insert(instance.expressions).second) {
            result.push_back(std::move(instance));
        }
    }
    return result;
}

class StepsCompile : public testing::TestWithParam<int> {
protected:
    void SetUp() override {
        try {
            nvrtc_ = load_nvrtc();
        } catch (const Error& error) {
            GTEST_SKIP() << error.what();
        }
    }

    /// All that `template_name` has as one program, as tuning compiles candidates together.
    void expect_compiles(std::string_view template_name) const {
        std::vector<Instance> all;
        const ReductionStep* one = nullptr;
        for (const ReductionStep& step : reduction_steps()) {
            if (step.template_name != template_name) {
                continue;
            }
            one = &step;
            for (const ElementType type : {ElementType::float32, ElementType::int32}) {
                const auto more = instances(step, type, GetParam());
                all.insert(all.end(), more.begin(), more.end());
            }
        }
        const auto outcomes =
            compile_instances(*nvrtc_, step_kernel(*one).kernel_template.source(), all, GetParam());
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
            const std::string& name = all[i].expressions.back();
            if (const auto* failure = std::get_if<CompileFailure>(&outcomes[i])) {
                ADD_FAILURE() << name << ": " << failure->log;
                continue;
            }
            const Binary& binary = std::get<Binary>(outcomes[i]);
            EXPECT_EQ(binary.format, "cubin") << name;
            EXPECT_EQ(binary.symbols.size(), all[i].expressions.size()) << name;
            EXPECT_NO_THROW(check_image(binary.format, *binary.image)) << name;
        }
    }

    std::shared_ptr<const NvrtcTable> nvrtc_;
};

TEST_P(StepsCompile, EveryStepForEveryType) {
    std::set<std::string_view> names;
    for (const ReductionStep& step : reduction_steps()) {
        names.insert(step.template_name);
    }
    for (const std::string_view name : names) {
        expect_compiles(name);
    }
}

INSTANTIATE_TEST_SUITE_P(Architectures, StepsCompile, testing::Values(75, 80, 86, 89, 90, 100, 120),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace jitune::internal
