// SPDX-License-Identifier: Apache-2.0
#include "rules/rule_condition.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

TEST(RuleCondition, ThresholdsAreRound) {
    EXPECT_EQ(round_threshold(1000, 1100), 1024);
    EXPECT_EQ(round_threshold(1024, 1025), 1024);  // at most 1024: what is below it
    EXPECT_EQ(round_threshold(900, 1024), std::nullopt);
    EXPECT_EQ(round_threshold(1500, 1600), 1536);    // 1.5 * 2^10
    EXPECT_EQ(round_threshold(100, 100'000), 4096);  // near the middle of the logarithms
    EXPECT_EQ(round_threshold(3, 4), 3);
    EXPECT_EQ(round_threshold(5, 5), std::nullopt);
    EXPECT_EQ(round_threshold(0, 10), std::nullopt);
    EXPECT_EQ(round_threshold(0x1p62, 0x1p63), std::nullopt);
}

TEST(RuleCondition, SaysWhenItHolds) {
    RuleQuestions questions;
    questions.add(RuleQuestions::Quantity{"n", {10, 64, 100}});
    questions.add(RuleQuestions::Fact{"element = 'int8'", {true, false, true}});
    const auto holds = [&](const RuleCondition& condition) {
        std::string places;
        for (std::size_t i = 0; i < 3; ++i) {
            places += condition.holds(questions, i) ? '1' : '0';
        }
        return places + " " + condition.text(questions);
    };
    EXPECT_EQ(holds({}), "111 ");
    EXPECT_EQ(holds({.threshold = {{0, false, 64}}}), "110 n <= 64");
    EXPECT_EQ(holds({.threshold = {{0, true, 64}}}), "001 n > 64");
    EXPECT_EQ(holds({.fact = 0}), "101 element = 'int8'");
    EXPECT_EQ(holds({.threshold = {{0, false, 64}}, .fact = 0}),
              "100 n <= 64 AND element = 'int8'");
}

TEST(RuleCondition, QuestionsThatTellNothingNewAreLeftOut) {
    RuleQuestions questions;
    questions.add(RuleQuestions::Quantity{"n", {10, 20, 30}});
    questions.add(RuleQuestions::Quantity{"n * element_bytes", {40, 80, 120}});
    questions.add(RuleQuestions::Quantity{"rows", {7, 7, 7}});
    questions.add(RuleQuestions::Quantity{"bytes", {40, 20, 30}});
    questions.add(RuleQuestions::Fact{"adds", {true, false, true}});
    questions.add(RuleQuestions::Fact{"operation = 'sum'", {true, false, true}});
    questions.add(RuleQuestions::Fact{"exact", {true, true, true}});
    ASSERT_EQ(questions.quantities.size(), 2U);
    EXPECT_EQ(questions.quantities[0].text, "n");
    EXPECT_EQ(questions.quantities[1].text, "bytes");
    ASSERT_EQ(questions.facts.size(), 1U);
    EXPECT_EQ(questions.facts[0].text, "adds");
}

}  // namespace
}  // namespace jitune::internal
