// SPDX-License-Identifier: Apache-2.0
#include "dispatch/call_gap.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

class CallGapTest : public testing::Test {
protected:
    bool look(int ms, bool called) {
        return gap_.look(called, CallGap::Clock::time_point(milliseconds(1'000'000 + ms)));
    }

    CallGap gap_;
};

TEST_F(CallGapTest, UsesADeviceThatNoCallUses) {
    EXPECT_TRUE(look(0, false));
    EXPECT_TRUE(look(10'000, false));
    EXPECT_EQ(gap_.rested(), milliseconds(0));
}

TEST_F(CallGapTest, RestsUntilCallsPause) {
    EXPECT_TRUE(look(0, false));
    EXPECT_FALSE(look(20, true));
    EXPECT_FALSE(look(60, true));
    EXPECT_FALSE(look(109, false));
    EXPECT_TRUE(look(110, false));
    EXPECT_EQ(gap_.rested(), milliseconds(90));
    EXPECT_TRUE(look(200, false));
    EXPECT_FALSE(look(300, true));
}

TEST_F(CallGapTest, HasOneTurnASecondAmongCallsWithoutAPause) {
    int turns = 0;
    for (int ms = 0; ms < 10'000; ms += 20) {
        turns += look(ms, true) ? 1 : 0;
    }
    EXPECT_EQ(turns, 9);
    EXPECT_GE(gap_.rested(), milliseconds(9'000));
}

}  // namespace
}  // namespace jitune::internal
