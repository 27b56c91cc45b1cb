// SPDX-License-Identifier: Apache-2.0
#include "report/parameter_effects.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

TEST(ParameterEffects, CompareMediansAndPutTheLargestFirst) {
    const std::vector<TriedCandidate> candidates{{"block=1 load=4", Verdict::timed, 10, ""},
                                                 {"block=1 load=8", Verdict::timed, 11, ""},
                                                 {"block=2 load=4", Verdict::timed, 30, ""},
                                                 {"block=2 load=8", Verdict::timed, 33, ""},
                                                 {"block=3 load=8", Verdict::crashed, 0, ""}};
    const auto effects = parameter_effects(candidates);
    ASSERT_EQ(effects.size(), 2U);
    EXPECT_EQ(effects[0].name, "block");
    EXPECT_EQ(effects[0].values[0].value, "1");
    EXPECT_DOUBLE_EQ(effects[0].values[0].best, 1);
    EXPECT_DOUBLE_EQ(effects[0].values[1].median, 3.3);
    EXPECT_EQ(effects[0].values.size(), 2U) << "3 was never timed";
    EXPECT_EQ(effects[1].name, "load");
}

TEST(ParameterEffects, OutliersMoveNoMedian) {
    const std::vector<TriedCandidate> candidates{{"a=1", Verdict::timed, 10, ""},
                                                 {"a=1", Verdict::timed, 900, ""},
                                                 {"a=1", Verdict::timed, 12, ""},
                                                 {"a=2", Verdict::timed, 20, ""}};
    EXPECT_DOUBLE_EQ(parameter_effects(candidates)[0].values[0].median, 1.2);
}

TEST(ParameterEffects, LeaveOutWhatHasOneValueOrIsNoSetting) {
    const std::vector<TriedCandidate> candidates{{"a=1 odd  =", Verdict::timed, 1, ""},
                                                 {"a=1", Verdict::timed, 2, ""},
                                                 {"", Verdict::timed, 2, ""}};
    EXPECT_TRUE(parameter_effects(candidates).empty());
    EXPECT_TRUE(parameter_effects({}).empty());
}

}  // namespace
}  // namespace jitune::internal
