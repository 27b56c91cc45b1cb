// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <string>

#include <gtest/gtest.h>

#include "articles/reduction_steps.hpp"
#include "articles/step_runner.hpp"
#include "dispatch/session_access.hpp"
#include "jitune/session.hpp"
#include "tuning/rig.hpp"

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

    StepRow run(const ReductionStep& step, bool tune) {
        const std::atomic<bool> stop = false;
        StepRunner runner(SessionAccess::engine(session_), *device_, ElementType::float32, 1 << 20,
                          stop);
        return runner.run(step, tune);
    }

    Session session_{quick_options()};
    Device* device_ = nullptr;
    BinaryCache binaries_;
};

class StepsGpu : public StepsGpuSession, public testing::WithParamInterface<ReductionStep> {
protected:
    /// Empty if the configuration is right for the rig's problem and for all awkward cases.
    std::string complaint(Rig& rig, const Problem& problem, const Configuration& configuration) {
        const KernelTemplate& kernel = step_kernel(GetParam()).kernel_template;
        const Instance instance = kernel.instance(problem, configuration);
        const auto outcomes =
            binaries_.compile(*device_, kernel.source(), kernel.hash(), std::span(&instance, 1));
        if (const auto* failure = std::get_if<CompileFailure>(&outcomes.front())) {
            return failure->log;
        }
        const auto program = device_->load(std::get<Binary>(outcomes.front()));
        const auto failure =
            rig.check(*program, kernel.launch_rule(problem, device_->info(), configuration));
        return failure ? failure->reason : "";
    }
};

TEST_P(StepsGpu, IsRightForEverySizeInItsDefaultAndAtTheEndsOfItsSpace) {
    const Kernel& kernel = step_kernel(GetParam());
    for (const ElementType type : {ElementType::float32, ElementType::int32}) {
        for (const std::int64_t n : {1, 31, 33, 1000, (1 << 20) + 7}) {
            const Problem problem = step_problem(GetParam(), type, n);
            Rig rig(*device_, *kernel.workload, problem, false, Log(LogLevel::off));
            const SearchSpace space = kernel.kernel_template.space(problem, device_->info());
            for (const Configuration& one : {kernel.kernel_template.default_configuration(space),
                                             space.at(0), space.at(space.size() - 1)}) {
                EXPECT_EQ(complaint(rig, problem, one), "")
                    << one.text() << " " << to_string(type) << " n=" << n;
            }
        }
    }
}

TEST_P(StepsGpu, IsTimed) {
    const StepRow row = run(GetParam(), false);
    ASSERT_EQ(row.outcome, StepRow::Outcome::timed) << row.note;
    EXPECT_GT(row.standard.median_ns, 0);
    EXPECT_FALSE(row.best);
}

TEST_F(StepsGpuSession, TuningAStepGivesItsBestConfiguration) {
    const StepRow row = run(reduction_steps().front(), true);
    ASSERT_EQ(row.outcome, StepRow::Outcome::timed) << row.note;
    ASSERT_TRUE(row.best);
    EXPECT_GT(row.best->median_ns, 0);
    EXPECT_TRUE(row.best->configuration.starts_with("block=")) << row.best->configuration;
}

INSTANTIATE_TEST_SUITE_P(Steps, StepsGpu, testing::ValuesIn(reduction_steps()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace jitune::internal
