// SPDX-License-Identifier: Apache-2.0
#include "backend/host/spin_loop.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

using std::chrono::seconds;

TEST(RecentLeast, IsOfTheLastOneToTwoPeriods) {
    RecentLeast least(seconds(30));
    const RecentLeast::Clock::time_point start{seconds(1000)};
    EXPECT_EQ(least.add(5, start), 5);
    EXPECT_EQ(least.add(7, start + seconds(1)), 5);
    EXPECT_EQ(least.add(4, start + seconds(2)), 4);
    EXPECT_EQ(least.add(7, start + seconds(31)), 4);
    EXPECT_EQ(least.add(8, start + seconds(60)), 4);
    EXPECT_EQ(least.add(8, start + seconds(62)), 7) << "the 4 is too old";
    EXPECT_EQ(least.add(9, start + seconds(200)), 9) << "all others are";
}

TEST(ProcessorSlowdown, IsOneOrMore) {
    for (int i = 0; i < 100; ++i) {
        EXPECT_GE(processor_slowdown(), 1);
    }
}

}  // namespace
}  // namespace jitune::internal
