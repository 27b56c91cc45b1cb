// SPDX-License-Identifier: Apache-2.0
#include "cli/stencil_words.hpp"

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

TEST(StencilWords, PlanEveryCombinationThatHasOutputs) {
    const SweepPlan plan = stencil_plan({.types = "int32,float64",
                                         .radii = "2,32",
                                         .weightings = "mean,weights",
                                         .boundaries = "valid,wrap",
                                         .sizes = "64,2^20"});
    EXPECT_EQ(plan.problems.size(), 2U * (8U + 6U));  // 64 elements have no valid output at 32
    const SweepProblem& first = plan.problems.front();
    EXPECT_EQ(first.name, "int32 radius 2 mean valid 64");
    EXPECT_EQ(first.problem.types.at("radius"), "2");
    EXPECT_EQ(first.problem.alignment, 16);
    EXPECT_EQ(first.bytes, 4 * (64 + 60));
    EXPECT_EQ(first.cells.size(), plan.columns.size());
    EXPECT_EQ(plan.problems.back().problem.types.at("weighting"), "weights");
    EXPECT_EQ(plan.problems.back().problem.types.at("boundary"), "wrap");
}

TEST(StencilWords, TakeAllTypes) {
    const SweepPlan plan = stencil_plan({.types = "all", .radii = "1", .sizes = "64"});
    ASSERT_EQ(plan.problems.size(), 3U);
    EXPECT_EQ(plan.problems[2].problem.types.at("element"), "float64");
}

TEST(StencilWords, RefuseWhatIsNone) {
    const auto refused = [](const std::string& text, const StencilWords& words) {
        expect_error(ErrorKind::usage, text, [&] { stencil_plan(words); });
    };
    refused("use int32, float32 or float64", {.types = "int8"});
    refused("radius 33: must be from 1 to 32", {.radii = "1,33"});
    refused("\"1.5\" is not a radius", {.radii = "1.5"});
    refused("use sum, mean or weights", {.weightings = "max"});
    refused("use valid, zero, clamp or wrap", {.boundaries = "mirror"});
    refused("5 inputs have no output of radius 8", {.radii = "8", .sizes = "5"});
    expect_error(ErrorKind::usage, "\"x\" is not a weight", [] { parse_weights("0.5,x"); });
    EXPECT_EQ(parse_weights("0.5,-1,2e3"), (std::vector<double>{0.5, -1, 2000}));
}

}  // namespace
}  // namespace jitune::internal
