// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/idle_watch.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

constexpr IdleWatch::Clock::time_point at(int ms) {
    return IdleWatch::Clock::time_point(milliseconds(1'000'000 + ms));
}

TEST(IdleWatch, WaitsForASecondOfRest) {
    IdleWatch watch;
    EXPECT_FALSE(watch.is_idle(at(0)));
    watch.look(0.5, at(0));
    watch.look(0.0, at(100));
    EXPECT_FALSE(watch.is_idle(at(1099)));
    EXPECT_TRUE(watch.is_idle(at(1100)));
    watch.look(0.03, at(1200));
    EXPECT_FALSE(watch.is_idle(at(2300)));
}

TEST(IdleWatch, WaitsForLessAfterJitunesOwnWork) {
    IdleWatch watch;
    watch.look(0.0, at(0));
    watch.worked(at(3000));
    watch.look(0.9, at(3100));
    watch.look(0.0, at(3600));
    EXPECT_FALSE(watch.is_idle(at(3849)));
    EXPECT_TRUE(watch.is_idle(at(3850)));
    watch.look(0.9, at(5200));
    watch.look(0.0, at(5300));
    EXPECT_FALSE(watch.is_idle(at(5600))) << "that was somebody else's work";
}

TEST(IdleWatch, DoesNotCallADeviceIdleOfWhichTheDriverSaysNothing) {
    IdleWatch watch;
    watch.look(0.0, at(0));
    watch.look(std::nullopt, at(500));
    EXPECT_FALSE(watch.is_idle(at(5000)));
}

TEST(IdleWatch, TellsADeviceThatIsNeverIdleAfterAMinute) {
    IdleWatch watch;
    EXPECT_FALSE(watch.is_never_idle(at(0)));
    watch.look(0.9, at(0));
    watch.look(0.0, at(30'000));
    watch.look(0.9, at(30'500));
    EXPECT_FALSE(watch.is_never_idle(at(59'999)));
    EXPECT_TRUE(watch.is_never_idle(at(60'000)));
    watch.look(0.0, at(61'000));
    watch.look(0.0, at(62'000));
    EXPECT_FALSE(watch.is_never_idle(at(62'000)));
    watch.look(0.9, at(62'100));
    EXPECT_FALSE(watch.is_never_idle(at(121'999)));
    EXPECT_TRUE(watch.is_never_idle(at(122'000)));
}

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
