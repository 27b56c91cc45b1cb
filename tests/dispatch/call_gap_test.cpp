// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/call_gap.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

class CallGapTest : public testing::Test {
protected:
    bool look(int ms, bool called) {
        return gap_.look(called, CallGap::Clock::time_point(milliseconds(1'000'000 + ms)));
    }

    [[nodiscard]] CallGap::Clock::duration rested(int ms) const {
        return gap_.rested(CallGap::Clock::time_point(milliseconds(1'000'000 + ms)));
    }

    CallGap gap_;
};

TEST_F(CallGapTest, UsesADeviceThatNoCallUses) {
    EXPECT_TRUE(look(0, false));
    EXPECT_TRUE(look(10'000, false));
    EXPECT_EQ(rested(10'000), milliseconds(0));
}

TEST_F(CallGapTest, RestsUntilCallsPause) {
    EXPECT_TRUE(look(0, false));
    EXPECT_FALSE(look(20, true));
    EXPECT_FALSE(look(60, true));
    EXPECT_FALSE(look(109, false));
    EXPECT_TRUE(look(110, false));
    EXPECT_EQ(rested(110), milliseconds(90));
    EXPECT_TRUE(look(200, false));
    EXPECT_FALSE(look(300, true));
    EXPECT_EQ(rested(310), milliseconds(100));
}

TEST_F(CallGapTest, HasOneTurnASecondAmongCallsWithoutAPause) {
    int turns = 0;
    for (int ms = 0; ms < 10'000; ms += 20) {
        turns += look(ms, true) ? 1 : 0;
    }
    EXPECT_EQ(turns, 9);
    EXPECT_GE(rested(10'000), milliseconds(9'800));
}

}  // namespace
}  // namespace jitune::internal
