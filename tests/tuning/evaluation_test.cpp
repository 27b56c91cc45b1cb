// SPDX-License-Identifier: Apache-2.0
#include "tuning/search/evaluation.hpp"

#include <memory>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

constexpr std::size_t kDefault = 7;

/// An evaluation of this search that was timed; without a binary, of an earlier one.
Evaluation timed(std::size_t index, double ns, bool by_this_search = true) {
    Evaluation evaluation;
    evaluation.index = index;
    evaluation.configuration = Configuration({{"block", Value(static_cast<std::int64_t>(index))}});
    evaluation.samples_ns = {ns, ns, ns};
    if (by_this_search) {
        evaluation.binary = Binary{};
    }
    return evaluation;
}

Evaluation failed(std::size_t index) {
    Evaluation evaluation = timed(index, 1);
    evaluation.verdict = Verdict::wrong_result;
    return evaluation;
}

TEST(Evaluations, TheIncumbentIsTheFastestThatThisSearchHasCompiled) {
    Evaluations tried(kDefault);
    tried.add(timed(1, 10, false));
    EXPECT_EQ(tried.progress().best_ns, 10);
    EXPECT_FALSE(tried.progress().incumbent);
    tried.add(timed(kDefault, 40));
    tried.add(timed(2, 20));
    tried.add(timed(3, 30));
    const auto& incumbent = tried.progress().incumbent;
    EXPECT_EQ(incumbent->configuration, "block=2");
    EXPECT_EQ(incumbent->ns, 20);
    EXPECT_EQ(incumbent->default_ns, 40);
}

TEST(Evaluations, ARefutedOneIsNeitherTheBestNorTheIncumbent) {
    Evaluations tried(kDefault);
    tried.add(timed(1, 10));
    tried.add(timed(2, 20));
    const Evaluation& refuted = tried.refute(1, Verdict::wrong_result, "got 3", {});
    EXPECT_EQ(refuted.verdict, Verdict::wrong_result);
    EXPECT_TRUE(refuted.samples_ns.empty());
    EXPECT_EQ(tried.progress().best_ns, 20);
    EXPECT_EQ(tried.progress().incumbent->configuration, "block=2");
    EXPECT_EQ(tried.progress().failed, 1U);
}

TEST(Evaluations, ABinaryOfAnEarlierSearchsTimeMakesItAnIncumbentOnceTheBestIsSoughtAnew) {
    Evaluations tried(kDefault);
    tried.add(timed(1, 10, false));
    tried.add(timed(2, 20));
    tried.keep_binary(1, Binary{});
    EXPECT_TRUE(tried.of(1).binary);
    tried.refute(2, Verdict::wrong_result, "got 3", {});
    EXPECT_EQ(tried.progress().incumbent->configuration, "block=1");
}

TEST(Evaluations, CountsFailuresAndHasNoTimeOfAFailedDefault) {
    Evaluations tried(kDefault);
    EXPECT_EQ(tried.default_ns(), 0);
    tried.add(failed(kDefault));
    EXPECT_EQ(tried.default_ns(), 0);
    EXPECT_EQ(tried.progress().evaluated, 1U);
    EXPECT_EQ(tried.progress().failed, 1U);
    EXPECT_TRUE(tried.hold(kDefault));
    EXPECT_FALSE(tried.hold(1));
}

}  // namespace
}  // namespace jitune::internal
