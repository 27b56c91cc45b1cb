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

}  // namespace
}  // namespace jitune::internal
