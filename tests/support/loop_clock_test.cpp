// SPDX-License-Identifier: Apache-2.0
#include "support/loop_clock.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

/// A clock that says what it is told to.
struct ToldTime : TimeSource {
    [[nodiscard]] Clock::time_point now() const override { return time; }
    Clock::time_point time{};
};

class LoopClockTest : public testing::Test {
protected:
    /// Counts a turn at whose end the clock is this far from its begin.
    LoopClock::Time turn_at(LoopClock::Time time) {
        source_.time = ToldTime::Clock::time_point(time);
        return time_.turn();
    }

    ToldTime source_;
    LoopClock time_{milliseconds(20), milliseconds(500), source_};
};

TEST_F(LoopClockTest, FollowsTheMonotonicClock) {
    EXPECT_EQ(turn_at(milliseconds(7)), milliseconds(7));
    EXPECT_EQ(turn_at(milliseconds(307)), milliseconds(307));
    EXPECT_EQ(time_.lasted(), milliseconds(307));
}

TEST_F(LoopClockTest, CountsUsualTurnsWhileTheClockStandsStill) {
    time_.turn();
    EXPECT_EQ(time_.turn(), milliseconds(40));
}

TEST_F(LoopClockTest, CountsOneTurnWhereTheClockJumps) {
    EXPECT_EQ(turn_at(-hours(900)), milliseconds(20));
    EXPECT_EQ(turn_at(hours(9000)), milliseconds(520));
    EXPECT_EQ(turn_at(hours(9000) + milliseconds(1)), milliseconds(521));
}

TEST(LoopClock, SeesThatTheClockOfThisMachineMoves) {
    EXPECT_FALSE(clock_stands_still());
}

TEST_F(LoopClockTest, LeavesNoLessThanNothingOfItsPatience) {
    source_.time += hours(1);
    EXPECT_EQ(left_of(milliseconds(300), time_), milliseconds(0));
    EXPECT_EQ(time_.lasted(), milliseconds(500));
}

}  // namespace
}  // namespace jitune::internal
