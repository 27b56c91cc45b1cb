// SPDX-License-Identifier: Apache-2.0
#include "rules/rule_learner.hpp"

#include <gtest/gtest.h>

#include "rules/made_losses.hpp"
#include "rules/rule_study.hpp"

namespace jitune::internal {
namespace {

class RuleLearning : public ::testing::Test {
protected:
    static double two(const std::string& /*types*/, std::int64_t /*n*/) { return 2; }

    static RuleList learned(const MadeLosses& made, std::size_t most = 8) {
        return RuleLearner(made.table, made.questions, made.everything()).learn(most);
    }

    /// "n <= 4096: a; b"
    static std::string text(const MadeLosses& made, const RuleList& rules) {
        std::string result;
        for (const LearnedRule& rule : rules) {
            const std::string when = rule.condition.text(made.questions);
            result += (result.empty() ? "" : "; ") + when + (when.empty() ? "" : ": ") +
                      made.table.configurations[rule.configuration];
        }
        return result;
    }
    static std::string text(const MadeLosses& made) { return text(made, learned(made)); }
};

TEST_F(RuleLearning, OneConfigurationThatIsBestEverywhereNeedsNoCondition) {
    const MadeLosses made(two, {[](const auto&, auto) { return 1.0; }});
    EXPECT_EQ(text(made), "a");
}

TEST_F(RuleLearning, NothingIsProposedThatIsNoBetterThanTheDefaults) {
    const MadeLosses made([](const auto&, auto) { return 1.02; },
                          {[](const auto&, auto) { return 1.0185; },
                           [](const auto&, auto n) { return n < 1000 ? 1.01 : 1.1; }});
    EXPECT_EQ(text(made), "");
}

TEST_F(RuleLearning, AThresholdPartsTheSizes) {
    const MadeLosses made(two, {[](const auto&, auto n) { return n <= 8192 ? 1.0 : 3.0; },
                                [](const auto&, auto n) { return n > 8192 ? 1.0 : 1.5; }});
    EXPECT_EQ(text(made), "n <= 8192: a; b");
}

TEST_F(RuleLearning, AFactPartsTheTypes) {
    const MadeLosses made(
        two, {[](const auto& types, auto n) { return types == "int8" && n > 4096 ? 1.0 : 2.5; },
              [](const auto&, auto) { return 1.4; }});
    EXPECT_EQ(text(made), "n > 4096 AND element = 'int8': a; b");
}

TEST_F(RuleLearning, ALargeLossCountsMoreThanManySmallOnes) {
    // The same geometric mean nearly: 1.1 everywhere, or 1.0 but for four problems.
    const MadeLosses made(two, {[](const auto&, auto) { return 1.1; },
                                [](const auto&, auto n) { return n < 1024 ? 2.0 : 1.0; }});
    EXPECT_EQ(text(made, learned(made, 1)), "a");
}

TEST_F(RuleLearning, WhatIsNotKnownOfAConfigurationIsNotAnsweredByIt) {
    // b is better, but nobody knows how it does at the large sizes.
    const MadeLosses made(two, {[](const auto&, auto) { return 1.3; },
                                [](const auto&, auto n) { return n <= 65536 ? 1.0 : 0.0; }});
    EXPECT_EQ(text(made), "n <= 65536: b; a");
    EXPECT_EQ(text(made, learned(made, 1)), "a");
}

TEST_F(RuleLearning, WhereConstraintsExcludeAConfigurationTheNextRuleAnswers) {
    const MadeLosses made(two, {[](const auto&, auto n) { return n < 512 ? -1.0 : 1.0; },
                                [](const auto&, auto n) { return n < 512 ? 1.2 : 3.0; }});
    const RuleList rules = learned(made, 1);
    EXPECT_EQ(text(made, rules), "a");
    EXPECT_EQ(answering_rule(rules, made.table, made.questions, 0), LossTable::kNone);
    EXPECT_EQ(answers_of(rules, made.table, made.questions)[0].loss, 2);
    EXPECT_EQ(answering_rule(rules, made.table, made.questions, 1), 0U);
}

TEST_F(RuleLearning, AConditionSaysWhereItsConfigurationCanServe) {
    // Half of the problems exclude a: a rule without a condition would say too much.
    const MadeLosses made(two,
                          {[](const auto& types, auto) { return types == "int8" ? 1.0 : -1.0; }});
    EXPECT_EQ(text(made), "element = 'int8': a");
}

TEST_F(RuleLearning, TheSimplerOfTwoThatAreAboutAsGoodWins) {
    MadeLosses made(two,
                    {[](const auto&, auto) { return 1.1; }, [](const auto&, auto) { return 1.1; }});
    made.table.differing = {3, 2};
    EXPECT_EQ(text(made), "b");
    made.table.differing = {2, 3};
    EXPECT_EQ(text(made), "a");
}

TEST_F(RuleLearning, NoRuleIsMadeForAFewProblems) {
    const MadeLosses made([](const auto&, auto) { return 1.0; },
                          {[](const auto&, auto n) { return n <= 256 ? 1.0 : 2.0; }});
    EXPECT_EQ(text(made), "");
    MadeLosses bad_at_two([](const auto&, auto n) { return n <= 256 ? 5.0 : 1.0; },
                          {[](const auto&, auto n) { return n <= 256 ? 1.0 : 5.0; }});
    EXPECT_EQ(text(bad_at_two), "") << "two problems";
}

TEST_F(RuleLearning, ARuleLeavesEnoughProblemsToThoseBehindIt) {
    // b is better than a from 512 on; but a would answer two problems then.
    const MadeLosses made([](const auto&, auto) { return 3.0; },
                          {[](const auto&, auto) { return 1.05; },
                           [](const auto&, auto n) { return n > 256 ? 1.0 : 9.0; }});
    EXPECT_EQ(text(made), "n > 512: b; a");
}

TEST_F(RuleLearning, ASecondConditionMustBeWorthIt) {
    const auto made = [](double of_int32) {
        return MadeLosses([](const auto&, auto) { return 1.5; },
                          {[of_int32](const auto& types, auto n) {
                              return n > 8192 ? 3.0 : types == "int8" ? 1.0 : of_int32;
                          }});
    };
    EXPECT_EQ(text(made(1.5005)), "n <= 8192: a");
    EXPECT_EQ(text(made(1.52)), "n <= 8192 AND element = 'int8': a");
}

TEST_F(RuleLearning, HasNoMoreRulesThanAskedFor) {
    std::vector<MadeLosses::Loss> losses;
    for (int i = 0; i < 6; ++i) {
        losses.emplace_back([i](const auto&, auto n) {
            return std::abs(std::log2(static_cast<double>(n)) - 9 - 2.6 * i) < 1.4 ? 1.0 : 1.9;
        });
    }
    const MadeLosses made(two, losses);
    double before = 10;
    for (std::size_t most = 1; most <= 6; ++most) {
        const RuleList rules = learned(made, most);
        EXPECT_EQ(rules.size(), most);
        const double mean =
            summary_of(answers_of(rules, made.table, made.questions), made.everything())
                .geometric_mean;
        EXPECT_LT(mean, before) << most;
        before = mean;
    }
    EXPECT_EQ(learned(made, 12).size(), 6U);
}

TEST_F(RuleLearning, EstimatesComeFromTheNearestProblemOfTheSameTypes) {
    MadeLosses made(two, {[](const auto& types, auto n) {
                        return types == "int8" && (n == 1024 || n == 65536)
                                   ? 1.0 + 64.0 / static_cast<double>(n)
                                   : 0.0;
                    }});
    made.table.at(0, 3).state = LossCell::State::excluded;  // n = 2048
    estimate_unknown(made.table);
    const auto state = [&](std::size_t problem) { return made.table.at(0, problem).state; };
    EXPECT_EQ(state(0), LossCell::State::estimated);  // n = 256: two octaves away
    EXPECT_EQ(made.table.at(0, 0).loss, 1.0625);
    EXPECT_EQ(state(2), LossCell::State::measured);
    EXPECT_EQ(state(3), LossCell::State::excluded);
    EXPECT_EQ(state(4), LossCell::State::estimated);
    EXPECT_EQ(state(5), LossCell::State::unknown);  // n = 8192: three octaves from both
    EXPECT_EQ(made.table.at(0, 6).loss, 1 + 64.0 / 65536);
    EXPECT_EQ(state(11), LossCell::State::unknown);
    EXPECT_EQ(state(16 + 2), LossCell::State::unknown) << "other types";
}

class RuleStudies : public RuleLearning {};

TEST_F(RuleStudies, LeaveTypesOutOfTheLearningInTurn) {
    // What is best for int8 is bad for int32, and the other way round.
    const MadeLosses made(two,
                          {[](const auto& types, auto) { return types == "int8" ? 1.0 : 3.0; },
                           [](const auto& types, auto) { return types == "int8" ? 4.0 : 1.0; }});
    const RuleStudy study = study_rules(made.table, made.questions, 8);
    EXPECT_EQ(study.proposal.geometric_mean, 1);
    EXPECT_EQ(study.proposal.problems, 32U);
    EXPECT_DOUBLE_EQ(study.standard.geometric_mean, 2);
    ASSERT_EQ(study.left_out.size(), 2U);
    EXPECT_EQ(study.left_out[0].types, "int32");
    EXPECT_EQ(study.left_out[0].losses.problems, 16U);
    EXPECT_DOUBLE_EQ(study.left_out[0].losses.geometric_mean, 3);
    EXPECT_DOUBLE_EQ(study.left_out[1].losses.geometric_mean, 4);
    EXPECT_NEAR(study.each_types_left_out.geometric_mean, std::sqrt(12), 1e-9);
    EXPECT_EQ(study.each_types_left_out.worst, 4);
    std::size_t answered = study.rest.problems;
    for (const LossSummary& one : study.of_rules) {
        answered += one.problems;
    }
    EXPECT_EQ(answered, 32U);
}

TEST_F(RuleStudies, SayWhereTooLittleIsMeasured) {
    MadeLosses made(two, {[](const auto&, auto) { return 1.0; }});
    for (std::size_t i = 0; i < 16; ++i) {
        made.table.problems[16 + i].sizes = {i < 3 ? 1 << i : 1};  // of int32: 1, 2, 4
    }
    for (std::size_t i = 0; i < 11; ++i) {
        made.table.at(0, i).state = LossCell::State::estimated;
    }
    const RuleStudy study = study_rules(made.table, made.questions, 8);
    ASSERT_EQ(study.few_sizes.size(), 1U);
    EXPECT_EQ(study.few_sizes[0].first, "int32");
    EXPECT_EQ(study.few_sizes[0].second, 3U);
    ASSERT_EQ(study.gaps.size(), 1U);
    EXPECT_EQ(study.gaps[0].first, 3);  // from 8 on
    EXPECT_EQ(study.gaps[0].last, 8);   // below 256
    EXPECT_EQ(study.proposal.estimated, 11U);
    EXPECT_EQ(study.guessed_rules, (std::vector<std::size_t>{0}));
    made.table.at(0, 0).state = LossCell::State::measured;
    EXPECT_TRUE(study_rules(made.table, made.questions, 8).guessed_rules.empty());
}

}  // namespace
}  // namespace jitune::internal
