// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <string>

#include <gtest/gtest.h>

#include "articles/articles.hpp"
#include "articles/step_runner.hpp"
#include "dispatch/session_access.hpp"
#include "jitune/session.hpp"
#include "tuning/measure/rig.hpp"

namespace jitune::internal {
namespace {

Options quick_options() {
    Options options;
    options.database.clear();
    options.budget = std::chrono::milliseconds(300);
    return options;
}

class StepsGpuSession : public testing::Test {
protected:
    void SetUp() override {
        for (const DeviceDescription& one : session_.devices()) {
            if (one.id.starts_with("cuda") && !one.missing.empty()) {
                GTEST_SKIP() << one.missing;
            }
        }
        device_ = &SessionAccess::engine(session_).device("cuda");
    }

    StepResult run(std::string_view kernel, const Step& step, const StepInput& input, bool tune) {
        const std::atomic<bool> stop = false;
        return StepRunner(SessionAccess::engine(session_), step_set(kernel), stop)
            .run(*device_, step, input, tune);
    }

    Session session_{quick_options()};
    Device* device_ = nullptr;
    BinaryCache binaries_;
};

class StepsGpu : public StepsGpuSession, public testing::WithParamInterface<Step> {
protected:
    /// Empty if the configuration is right for the rig's problem and for all awkward cases.
    std::string complaint(Rig& rig, const LoadedStep& step, const Configuration& configuration) {
        const KernelTemplate& kernel = step.text();
        const Instance instance = kernel.instance(step.problem, configuration);
        const auto outcomes =
            binaries_.compile(*device_, kernel.source(), kernel.hash(), std::span(&instance, 1));
        if (const auto* failure = std::get_if<CompileFailure>(&outcomes.front())) {
            return failure->log;
        }
        const auto program = device_->load(std::get<Binary>(outcomes.front()));
        const auto failure =
            rig.check(*program, kernel.launch_rule(step.problem, device_->info(), configuration));
        return failure ? failure->reason : "";
    }
};

TEST_P(StepsGpu, IsRightForEverySizeInItsDefaultAndAtTheEndsOfItsSpace) {
    for (const ElementType type : {ElementType::float32, ElementType::int32}) {
        for (const std::int64_t n : {1, 31, 33, 1000, (1 << 20) + 7}) {
            const LoadedStep step("reduce", GetParam(), {type, n});
            Rig rig(*device_, *step.kernel.workload, step.problem, false, Log(LogLevel::off));
            const SearchSpace space = step.text().space(step.problem, device_->info());
            for (const Configuration& configuration :
                 {step.text().default_configuration(step.problem, device_->info()), space.at(0),
                  space.at(space.size() - 1)}) {
                EXPECT_EQ(complaint(rig, step, configuration), "")
                    << configuration.text() << " " << to_string(type) << " n=" << n;
            }
        }
    }
}

TEST_P(StepsGpu, IsTimed) {
    const StepResult result = run("reduce", GetParam(), {ElementType::float32, 1 << 20}, false);
    ASSERT_TRUE(result.is_timed()) << result.note;
    EXPECT_GT(result.standard.median_ns, 0);
    EXPECT_FALSE(result.best);
}

TEST_F(StepsGpuSession, TuningAStepGivesItsBestConfiguration) {
    const StepResult result =
        run("reduce", article_steps("reduce").front(), {ElementType::float32, 1 << 20}, true);
    ASSERT_TRUE(result.is_timed()) << result.note;
    ASSERT_TRUE(result.best);
    EXPECT_GT(result.best->median_ns, 0);
    EXPECT_TRUE(result.best->configuration.starts_with("block=")) << result.best->configuration;
}

TEST_F(StepsGpuSession, EveryEntropyIsRightAndItsCopiesAreTimed) {
    for (const Step& step : article_steps("entropy")) {
        const StepResult result = run("entropy", step, {ElementType::float32, 400}, false);
        EXPECT_TRUE(result.is_timed()) << step.name << ": " << result.note;
        EXPECT_GT(result.copies_ns, 0) << step.name;
    }
}

TEST_F(StepsGpuSession, EveryStencilIsRight) {
    for (const Step& step : article_steps("stencil")) {
        const StepResult result = run("stencil", step, {ElementType::int32, 1 << 20, 5}, false);
        EXPECT_TRUE(result.is_timed()) << step.name << ": " << result.note;
    }
}

INSTANTIATE_TEST_SUITE_P(Steps, StepsGpu, testing::ValuesIn(article_steps("reduce")),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace jitune::internal
