// SPDX-License-Identifier: Apache-2.0
#include "measure/final_rule.hpp"

#include <random>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

using Lanes = std::vector<FinalRule::Samples>;

Lanes constant(const std::vector<double>& times, std::size_t rounds) {
    Lanes lanes;
    for (const double ns : times) {
        lanes.emplace_back(rounds, ns);
    }
    return lanes;
}

TEST(FinalRule, TheFastestWins) {
    EXPECT_EQ(FinalRule{}.winner(constant({3, 1, 2}, 8), std::nullopt), 1U);
    EXPECT_EQ(FinalRule{}.winner(constant({3, 1, 2}, 8), 0), 1U);
    EXPECT_EQ(FinalRule{}.winner(constant({3}, 1), std::nullopt), 0U);
}

TEST(FinalRule, TheStandingLaneWinsATie) {
    EXPECT_EQ(FinalRule{}.winner(constant({1, 1, 1}, 8), 2), 2U);
    Lanes lanes = constant({1, 1.001}, 10);
    lanes[0][3] = 1.1;
    lanes[0][6] = 1.05;
    EXPECT_EQ(FinalRule{}.winner(lanes, 1), 1U);
    EXPECT_EQ(FinalRule{}.winner(lanes, std::nullopt), 0U);
}

TEST(FinalRule, TheStandingLaneWinsIfTheRoundsAreTooFewToTell) {
    EXPECT_EQ(FinalRule{}.winner(constant({1, 2}, 7), 1), 1U);
}

TEST(FinalRule, EndsWithTheFewestRoundsIfTheWinnerIsClear) {
    EXPECT_FALSE(FinalRule{}.enough(constant({1, 2}, 7)));
    EXPECT_TRUE(FinalRule{}.enough(constant({1, 2}, 8)));
    EXPECT_TRUE(FinalRule{}.enough(constant({1, 1}, 8)));
}

TEST(FinalRule, GoesOnWhileTheWinnerIsUnclearButNotForEver) {
    Lanes lanes = constant({1, 1}, 0);
    std::mt19937 random(1);
    std::normal_distribution<double> noise(1, 0.05);
    std::size_t rounds = 0;
    while (lanes[0].empty() || !FinalRule{}.enough(lanes)) {
        ASSERT_LT(++rounds, 1000U);
        for (auto& lane : lanes) {
            lane.push_back(noise(random));
        }
    }
    EXPECT_EQ(rounds, static_cast<std::size_t>(FinalRule{}.max_rounds));
}

}  // namespace
}  // namespace jitune::internal
