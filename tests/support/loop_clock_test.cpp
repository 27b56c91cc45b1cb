// SPDX-License-Identifier: Apache-2.0
#include "support/loop_clock.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

class LoopClockTest : public testing::Test {
protected:
    LoopClock::Clock::time_point now_{};
    LoopClock time_{milliseconds(20), milliseconds(500), now_};
};

TEST_F(LoopClockTest, FollowsTheMonotonicClock) {
    EXPECT_EQ(time_.turn(now_ + milliseconds(7)), milliseconds(7));
    EXPECT_EQ(time_.turn(now_ + milliseconds(307)), milliseconds(307));
    EXPECT_EQ(time_.lasted(), milliseconds(307));
}

TEST_F(LoopClockTest, CountsUsualTurnsWhileTheClockStandsStill) {
    time_.turn(now_);
    EXPECT_EQ(time_.turn(now_), milliseconds(40));
}

TEST_F(LoopClockTest, LeavesAPartOfATurnOut) {
    time_.turn(now_ + milliseconds(10));
    time_.leave_out(milliseconds(100));
    EXPECT_EQ(time_.turn(now_ + milliseconds(130)), milliseconds(30));
    EXPECT_EQ(time_.turn(now_ + milliseconds(140)), milliseconds(40));
}

TEST_F(LoopClockTest, CountsOneTurnWhereTheClockJumps) {
    EXPECT_EQ(time_.turn(now_ - hours(900)), milliseconds(20));
    EXPECT_EQ(time_.turn(now_ + hours(9000)), milliseconds(520));
    EXPECT_EQ(time_.turn(now_ + hours(9000) + milliseconds(1)), milliseconds(521));
}

TEST(LoopClock, SeesThatTheClockOfThisMachineMoves) {
    EXPECT_FALSE(clock_stands_still());
}

TEST_F(LoopClockTest, LeavesNoLessThanNothingOfItsPatience) {
    EXPECT_EQ(left_of(milliseconds(300), time_), milliseconds(0)) << "the clock began at 0";
    EXPECT_EQ(time_.lasted(), milliseconds(500));
}

}  // namespace
}  // namespace jitune::internal
