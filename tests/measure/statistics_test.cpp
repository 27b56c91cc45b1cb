// SPDX-License-Identifier: Apache-2.0
#include "measure/statistics.hpp"

#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures/expect_error.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

std::vector<double> one_to(int last) {
    std::vector<double> values;
    for (int value = 1; value <= last; ++value) {
        values.push_back(value);
    }
    return values;
}

TEST(Summary, HoldsMedianAndNoise) {
    const Summary summary = summarize(std::vector<double>{12, 10, 11, 40, 9});
    EXPECT_EQ(summary.median_ns, 11);
    EXPECT_DOUBLE_EQ(summary.noise, 1.0 / 11);
}

TEST(Summary, TakesTheMeanOfTheTwoInTheMiddle) {
    EXPECT_EQ(summarize(std::vector<double>{4, 1, 3, 100}).median_ns, 3.5);
}

TEST(Summary, OfOneSampleHasNoNoise) {
    const Summary summary = summarize(std::vector<double>{7});
    EXPECT_EQ(summary.median_ns, 7);
    EXPECT_EQ(summary.noise, 0);
}

TEST(Summary, RefusesASampleThatIsNotATime) {
    EXPECT_THROW(summarize({}), Error);
    for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_THROW(summarize(std::vector<double>{1, bad}), Error) << bad;
        EXPECT_THROW(relative_uncertainty(std::vector<double>{1, 2, 3, 4, 5, bad}), Error) << bad;
    }
}

TEST(MedianInterval, AreTheRanksOfTheSignTestOrTheEndsOfFewSamples) {
    const auto bounds = [](int count) {
        const Interval known = median_interval(one_to(count));
        return std::pair(known.low, known.high);
    };
    EXPECT_EQ(bounds(1), std::pair(1.0, 1.0));
    EXPECT_EQ(bounds(5), std::pair(1.0, 5.0));
    EXPECT_EQ(bounds(10), std::pair(2.0, 9.0));
    EXPECT_EQ(bounds(20), std::pair(6.0, 15.0));
    EXPECT_THROW(median_interval({}), Error);
}

TEST(RelativeUncertainty, IsOneForFewerThanSixSamples) {
    EXPECT_EQ(relative_uncertainty({}), 1);
    EXPECT_EQ(relative_uncertainty(std::vector<double>{5, 5, 5, 5, 5}), 1);
    EXPECT_EQ(relative_uncertainty(std::vector<double>{5, 5, 5, 5, 5, 5}), 0);
}

TEST(RelativeUncertainty, UsesTheRanksOfTheSignTest) {
    // The ranks of the published tables of 95 % intervals for the median, from 1: 6 samples: 1 to
    // 6; 10: 2 to 9; 20: 6 to 15; 30: 10 to 21; 100: 40 to 61.
    EXPECT_DOUBLE_EQ(relative_uncertainty(one_to(6)), 2.5 / 3.5);
    EXPECT_DOUBLE_EQ(relative_uncertainty(one_to(10)), 3.5 / 5.5);
    EXPECT_DOUBLE_EQ(relative_uncertainty(one_to(20)), 4.5 / 10.5);
    EXPECT_DOUBLE_EQ(relative_uncertainty(one_to(30)), 5.5 / 15.5);
    EXPECT_DOUBLE_EQ(relative_uncertainty(one_to(100)), 10.5 / 50.5);
}

TEST(RelativeUncertainty, DoesNotUnderflowForManySamples) {
    // Normal approximation: 1.96 sqrt(n) / 2 ranks each way.
    EXPECT_NEAR(relative_uncertainty(one_to(10000)), 98.0 / 5000, 0.001);
}

TEST(RelativeUncertainty, IgnoresOneOutlierAmongMany) {
    std::vector<double> samples(20, 100.0);
    samples.push_back(1e9);
    EXPECT_EQ(relative_uncertainty(samples), 0);
}

TEST(MeanIntervalTest, IsStudents) {
    // 2, 4, 6: the mean is 4, the deviation 2, and t(0.975, 2) is 4.303: 4.303 * 2 / sqrt(3).
    const Interval three = mean_interval(std::vector<double>{2, 4, 6});
    EXPECT_DOUBLE_EQ(three.value, 4);
    EXPECT_NEAR(three.high - 4, 4.969, 0.001);
    EXPECT_NEAR(4 - three.low, 4.969, 0.001);
    EXPECT_NEAR(three.uncertainty(), 1.242, 0.001);
}

TEST(MeanIntervalTest, NarrowsWithMoreValues) {
    std::vector<double> values{1, 3};
    double width = mean_interval(values).uncertainty();
    for (int i = 0; i < 10; ++i) {
        values.insert(values.end(), {1, 3});
        EXPECT_LT(mean_interval(values).uncertainty(), width);
        width = mean_interval(values).uncertainty();
    }
}

TEST(MeanIntervalTest, OfEqualValuesIsAPoint) {
    EXPECT_EQ(mean_interval(std::vector<double>(3, 0.5)), (Interval{0.5, 0.5, 0.5}));
}

TEST(MeanIntervalTest, NeedsTwoValues) {
    expect_error(ErrorKind::usage, "two values", [] { mean_interval(std::vector<double>{1}); });
}

}  // namespace
}  // namespace jitune::internal
