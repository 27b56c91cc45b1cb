// SPDX-License-Identifier: Apache-2.0
#include "measure/mean_interval.hpp"

#include <gtest/gtest.h>

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

TEST(MeanIntervalTest, IsStudents) {
    // 2, 4, 6: the mean is 4, the deviation 2, and t(0.975, 2) is 4.303: 4.303 * 2 / sqrt(3).
    const MeanInterval three = mean_interval(std::vector<double>{2, 4, 6});
    EXPECT_DOUBLE_EQ(three.mean, 4);
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
    EXPECT_EQ(mean_interval(std::vector<double>(3, 0.5)), (MeanInterval{0.5, 0.5, 0.5}));
}

TEST(MeanIntervalTest, NeedsTwoValues) {
    expect_error(ErrorKind::usage, "two values", [] { mean_interval(std::vector<double>{1}); });
}

}  // namespace
}  // namespace jitune::internal
