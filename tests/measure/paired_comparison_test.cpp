// SPDX-License-Identifier: Apache-2.0
#include "measure/paired_comparison.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

using Samples = std::vector<double>;

TEST(PairedComparison, IsExactIfTheRatioIsTheSameInEachRound) {
    Samples slower, faster;
    for (int round = 1; round <= 8; ++round) {
        slower.push_back(3.0 * round);
        faster.push_back(2.0 * round);
    }
    const Ratio ratio = ratio_of(slower, faster);
    EXPECT_DOUBLE_EQ(ratio.low, 1.5);
    EXPECT_DOUBLE_EQ(ratio.estimate, 1.5);
    EXPECT_DOUBLE_EQ(ratio.high, 1.5);
}

TEST(PairedComparison, IsTheRangeOfEightRounds) {
    const Samples ones(8, 1.0);
    const Ratio ratio = ratio_of(Samples{1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8}, ones);
    EXPECT_NEAR(ratio.low, 1.1, 1e-12);
    EXPECT_NEAR(ratio.high, 1.8, 1e-12);
}

TEST(PairedComparison, DoesNotBoundARatioWithFewerRounds) {
    const Ratio ratio = ratio_of(Samples(7, 2.0), Samples(9, 1.0));
    EXPECT_EQ(ratio.low, 0);
    EXPECT_DOUBLE_EQ(ratio.estimate, 2);
    EXPECT_TRUE(std::isinf(ratio.high));
}

TEST(PairedComparison, IsInvertedBySwappingTheArguments) {
    const Samples a{5, 6, 5.5, 5.2, 5.9, 5.3, 5.8, 5.1, 5.7, 5.6, 9},
        b{4, 4.1, 4.4, 4.2, 4, 4.3, 4, 4.1, 4.2, 4.4, 4};
    const Ratio there = ratio_of(a, b), back = ratio_of(b, a);
    EXPECT_NEAR(there.low * back.high, 1, 1e-12);
    EXPECT_NEAR(there.estimate * back.estimate, 1, 1e-12);
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
        const Ratio ratio = ratio_of(slower, faster);
        held += ratio.low <= 1.02 && ratio.high >= 1.02 ? 1 : 0;
        narrow += ratio.uncertainty() < 0.03 ? 1 : 0;
    }
    EXPECT_GE(held, 0.985 * kTrials);
    EXPECT_GE(narrow, 0.9 * kTrials);
}

}  // namespace
}  // namespace jitune::internal
