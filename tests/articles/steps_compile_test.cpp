// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "articles/articles.hpp"
#include "backend/cuda/compile/cuda_program.hpp"
#include "backend/cuda/compile/nvrtc_compiler.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

/// The attributes of a device of an architecture that the steps look at.
DeviceInfo device(int architecture) {
    DeviceInfo info;
    info.attributes = {{"sm_count", 100},
                       {"max_threads_per_block", 1024},
                       {"max_threads_per_sm", architecture == 75 ? 1024 : 2048},
                       {"shared_bytes_per_block", (architecture == 75 ? 64 : 99) << 10},
                       {"compute_capability", architecture}};
    return info;
}

/// The default of a step and, with `ends`, the two ends of its space, each once.
std::vector<Instance> instances(const LoadedStep& step, int architecture, bool ends) {
    const SearchSpace space = step.text().space(step.problem, device(architecture));
    std::vector<Configuration> configurations{
        step.text().default_configuration(step.problem, device(architecture))};
    if (ends) {
        configurations.push_back(space.at(0));
        configurations.push_back(space.at(space.size() - 1));
    }
    std::set<std::vector<std::string>> seen;
    std::vector<Instance> result;
    for (const Configuration& configuration : configurations) {
        Instance instance = step.text().instance(step.problem, configuration);
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

    /// Compiles all instances of one template as one program, as tuning compiles candidates
    /// together.
    void expect_compiles(const TemplateSource& source, const std::vector<Instance>& all) const {
        const auto outcomes = compile_instances(*nvrtc_, source, all, GetParam());
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

TEST_P(StepsCompile, EverySumForEveryType) {
    std::set<std::string_view> files;
    for (const Step& step : article_steps("reduce")) {
        files.insert(step.file);
    }
    for (const std::string_view file : files) {
        std::vector<Instance> all;
        TemplateSource source;
        for (const Step& step : article_steps("reduce")) {
            for (const ElementType type : {ElementType::float32, ElementType::int32}) {
                if (step.file == file) {
                    const LoadedStep loaded("reduce", step, {type, 1 << 25});
                    const auto more = instances(loaded, GetParam(), true);
                    all.insert(all.end(), more.begin(), more.end());
                    source = loaded.text().source();
                }
            }
        }
        expect_compiles(source, all);
    }
}

// For the oldest and the newest architecture alone: the kernels are large.
TEST_P(StepsCompile, EveryEntropy) {
    if (GetParam() != 75 && GetParam() != 120) {
        return;
    }
    std::vector<Instance> all;
    TemplateSource source;
    for (const Step& step : article_steps("entropy")) {
        const LoadedStep loaded("entropy", step, {ElementType::float32, 400});
        all.push_back(instances(loaded, GetParam(), false).front());
        source = loaded.text().source();
    }
    expect_compiles(source, all);
}

INSTANTIATE_TEST_SUITE_P(Architectures, StepsCompile, testing::Values(75, 80, 86, 89, 90, 100, 120),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace jitune::internal
