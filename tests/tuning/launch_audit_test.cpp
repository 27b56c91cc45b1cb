// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/launch_audit.hpp"

#include <gtest/gtest.h>

#include "fake/fake_device.hpp"

namespace jitune::internal {
namespace {

using Bytes = std::vector<std::byte>;

/// One output of 8 bytes, right if it is 5 or 6 everywhere, and one input.
Case small_case() {
    Case one;
    one.name = "small";
    one.arguments.push_back(
        {std::make_shared<const Bytes>(Bytes(10, std::byte{3})), 100, 4, false});
    one.arguments.push_back(CaseArgument::output(8));
    one.judge = [](std::span<const Bytes> outputs) -> std::string {
        for (const std::byte one_byte : outputs[0]) {
            if (one_byte != std::byte{5} && one_byte != std::byte{6}) {
                return "wrong";
            }
        }
        return {};
    };
    return one;
}

class LaunchAuditTest : public testing::Test {
protected:
    LaunchAuditTest() {
        for (int i = 0; i < 3; ++i) {
            copies_.push_back(std::make_unique<TrialCase>(*bench_, case_));
            copies_.back()->restore();
            give(i, std::byte{5});
        }
    }
    void give(int copy, std::byte value) {
        bench_->fill(copies_[static_cast<std::size_t>(copy)]->arrays()[1], value, 8);
    }

    FakeDevice device_;
    std::unique_ptr<Bench> bench_ = device_.make_bench();
    Case case_ = small_case();
    std::vector<std::unique_ptr<TrialCase>> copies_;
};

TEST_F(LaunchAuditTest, FindsAWrongOutputInAnyCopy) {
    LaunchAudit audit(*bench_, {copies_.front().get()});
    EXPECT_EQ(audit.judge_inputs(true), "");
    EXPECT_EQ(audit.judge_timed(copies_), "");
    for (int copy = 0; copy < 3; ++copy) {
        give(copy, std::byte{7});
        EXPECT_EQ(audit.judge_timed(copies_), "small: wrong, in a launch that was timed");
        give(copy, std::byte{6});  // other bits that are right
        EXPECT_EQ(audit.judge_timed(copies_), "");
    }
}

TEST_F(LaunchAuditTest, FindsAWriteAroundAnOutputInAnyCopy) {
    LaunchAudit audit(*bench_, {copies_.front().get()});
    EXPECT_EQ(audit.judge_inputs(true), "");
    static_cast<std::byte*>(copies_[2]->arrays()[1])[8] = std::byte{0};
    EXPECT_EQ(audit.judge_timed(copies_),
              "small: wrote behind the end of its output, in a launch that was timed");
}

TEST_F(LaunchAuditTest, FindsAndMendsAChangedInput) {
    LaunchAudit audit(*bench_, {copies_.front().get()});
    static_cast<std::byte*>(copies_[0]->arrays()[0])[99] = std::byte{0};
    EXPECT_EQ(audit.judge_inputs(true), "small: changed an input");
    EXPECT_EQ(audit.judge_inputs(true), "");
}

TEST_F(LaunchAuditTest, BelievesNoOutputOfAFailedCandidate) {
    LaunchAudit audit(*bench_, {copies_.front().get()});
    give(0, std::byte{7});
    EXPECT_EQ(audit.judge_inputs(false), "");
    EXPECT_EQ(audit.judge_timed(copies_), "small: wrong, in a launch that was timed");
}

}  // namespace
}  // namespace jitune::internal
