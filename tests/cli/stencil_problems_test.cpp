// SPDX-License-Identifier: Apache-2.0
#include "cli/families/sizes.hpp"
#include "cli/sweep/sweep_family.hpp"
#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

SweepPlan stencil_plan(const FamilyArguments& given) {
    const SweepFamily& family = sweep_family("stencil");
    return family.plan(sweep_arguments(family, given));
}

TEST(StencilProblems, AreEveryCombinationThatHasOutputs) {
    const SweepPlan plan = stencil_plan({{"--types", "int32,float64"},
                                         {"--radius", "2,32"},
                                         {"--weighting", "mean,weights"},
                                         {"--boundary", "valid,wrap"},
                                         {"--sizes", "64,2^20"}});
    EXPECT_EQ(plan.problems.size(), 2U * (8U + 6U));  // 64 elements have no valid output at 32
    const SweepProblem& first = plan.problems.front().problem;
    EXPECT_EQ(first.name, "int32 radius 2 mean valid 64");
    EXPECT_EQ(first.problem.types.at("radius"), "2");
    EXPECT_EQ(first.problem.alignment, 16);
    EXPECT_EQ(first.bytes, 4 * (64 + 60));
    EXPECT_EQ(plan.problems.front().cells.size(), plan.columns.size());
    EXPECT_EQ(plan.problems.back().problem.problem.types.at("weighting"), "weights");
    EXPECT_EQ(plan.problems.back().problem.problem.types.at("boundary"), "wrap");
}

TEST(StencilProblems, TakeAllTypes) {
    const SweepPlan plan = stencil_plan({{"--types", "all"}, {"--radius", "1"}, {"--sizes", "64"}});
    ASSERT_EQ(plan.problems.size(), 3U);
    EXPECT_EQ(plan.problems[2].problem.problem.types.at("element"), "float64");
}

TEST(StencilProblems, RefuseUnknownNamesAndNumbers) {
    const auto refused = [](const std::string& text, const FamilyArguments& given) {
        expect_error(ErrorKind::usage, text, [&] { stencil_plan(given); });
    };
    refused("use int32, float32 or float64", {{"--types", "int8"}});
    refused("radius 33: must be from 1 to 32", {{"--radius", "1,33"}});
    refused("\"1.5\" is not a radius", {{"--radius", "1.5"}});
    refused("use sum, mean or weights", {{"--weighting", "max"}});
    refused("use valid, zero, clamp or wrap", {{"--boundary", "mirror"}});
    refused("5 inputs have no output of radius 8", {{"--radius", "8"}, {"--sizes", "5"}});
    expect_error(ErrorKind::usage, "\"x\" is not a weight", [] { parse_weights("0.5,x"); });
    EXPECT_EQ(parse_weights("0.5,-1,2e3"), (std::vector<double>{0.5, -1, 2000}));
}

}  // namespace
}  // namespace jitune::internal
