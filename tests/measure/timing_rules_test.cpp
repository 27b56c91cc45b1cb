// SPDX-License-Identifier: Apache-2.0
#include "measure/timing_rules.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures/expect_error.hpp"

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

class Stopping : public testing::Test {
protected:
    bool enough(const std::vector<double>& samples, std::optional<double> best = {}) const {
        return rule_.enough(samples, best);
    }

    static std::vector<double> noisy(std::size_t count) {
        std::vector<double> samples;
        for (std::size_t i = 0; i < count; ++i) {
            samples.push_back(i % 2 == 0 ? 100 : 130);
        }
        return samples;
    }

    StoppingRule rule_;
};

TEST_F(Stopping, WaitsForTheFewestSamplesEvenWithoutNoise) {
    EXPECT_FALSE(enough({}));
    EXPECT_FALSE(enough(std::vector<double>(5, 100.0)));
    EXPECT_TRUE(enough(std::vector<double>(6, 100.0)));
}

TEST_F(Stopping, GoesOnWhileTheMedianIsUncertain) {
    EXPECT_FALSE(enough({100, 100, 100, 101, 101, 101.2}));
    EXPECT_TRUE(enough({100, 100, 100, 100.5, 100.5, 100.9}));
}

TEST_F(Stopping, EndsAtTheMostSamplesUnderAnyNoise) {
    EXPECT_FALSE(enough(noisy(29)));
    EXPECT_TRUE(enough(noisy(30)));
}

TEST_F(Stopping, GivesUpACandidateThatCannotWin) {
    EXPECT_FALSE(enough({200}, 100)) << "one sample may be an outlier";
    EXPECT_TRUE(enough({200, 116}, 100));
    EXPECT_FALSE(enough({200, 114}, 100)) << "its fastest is within the race";
    EXPECT_TRUE(enough({200, 114, 104}, 100)) << "which is shorter for more samples";
    EXPECT_FALSE(enough({200, 114, 102}, 100));
    EXPECT_FALSE(enough({200, 200})) << "nothing to race against";
    EXPECT_FALSE(enough({}, 100));
}

using Samples = std::vector<double>;

TEST(PairedComparison, IsExactIfTheRatioIsTheSameInEachRound) {
    Samples slower, faster;
    for (int round = 1; round <= 8; ++round) {
        slower.push_back(3.0 * round);
        faster.push_back(2.0 * round);
    }
    const Interval ratio = ratio_of(slower, faster);
    EXPECT_DOUBLE_EQ(ratio.low, 1.5);
    EXPECT_DOUBLE_EQ(ratio.value, 1.5);
    EXPECT_DOUBLE_EQ(ratio.high, 1.5);
}

TEST(PairedComparison, IsTheRangeOfEightRounds) {
    const Samples ones(8, 1.0);
    const Interval ratio = ratio_of(Samples{1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8}, ones);
    EXPECT_NEAR(ratio.low, 1.1, 1e-12);
    EXPECT_NEAR(ratio.high, 1.8, 1e-12);
}

TEST(PairedComparison, DoesNotBoundARatioWithFewerRounds) {
    const Interval ratio = ratio_of(Samples(7, 2.0), Samples(9, 1.0));
    EXPECT_EQ(ratio.low, 0);
    EXPECT_DOUBLE_EQ(ratio.value, 2);
    EXPECT_TRUE(std::isinf(ratio.high));
}

TEST(PairedComparison, IsInvertedBySwappingTheArguments) {
    const Samples a{5, 6, 5.5, 5.2, 5.9, 5.3, 5.8, 5.1, 5.7, 5.6, 9},
        b{4, 4.1, 4.4, 4.2, 4, 4.3, 4, 4.1, 4.2, 4.4, 4};
    const Interval there = ratio_of(a, b), back = ratio_of(b, a);
    EXPECT_NEAR(there.low * back.high, 1, 1e-12);
    EXPECT_NEAR(there.value * back.value, 1, 1e-12);
}

TEST(PairedComparison, RefusesSamplesWithoutACommonRound) {
    expect_error(ErrorKind::usage, "no round", [] { ratio_of({}, Samples{1}); });
}

TEST(PairedComparison, ItsIntervalHoldsTheRatioInNinetyNineOfAHundredUnderDriftAndOutliers) {
    std::mt19937 random(7);
    std::normal_distribution<double> noise(0, 0.01);
    std::bernoulli_distribution outlier(0.02);
    int held = 0, narrow = 0;
    constexpr int kTrials = 2000;
    for (int trial = 0; trial < kTrials; ++trial) {
        Samples slower, faster;
        for (int round = 0; round < 20; ++round) {
            const double drift = 1 + 0.01 * round;  // by a fifth in all
            const auto sample = [&](double ns) {
                return ns * drift * std::exp(noise(random)) * (outlier(random) ? 1.5 : 1);
            };
            slower.push_back(sample(1020));
            faster.push_back(sample(1000));
        }
        const Interval ratio = ratio_of(slower, faster);
        held += ratio.low <= 1.02 && ratio.high >= 1.02 ? 1 : 0;
        narrow += ratio.half_width() < 0.03 ? 1 : 0;
    }
    EXPECT_GE(held, 0.985 * kTrials);
    EXPECT_GE(narrow, 0.9 * kTrials);
}

}  // namespace
}  // namespace jitune::internal
