// SPDX-License-Identifier: Apache-2.0
#include "tuning/certainty.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

TEST(Certainty, IsScatteredWhereTheIntervalOfTheSpeedUpIsWide) {
    EXPECT_FALSE(is_scattered(1.5, {"", 0, 0, 0})) << "unknown";
    EXPECT_FALSE(is_scattered(1.5, {"", 0, 1.4, 1.6}));
    EXPECT_TRUE(is_scattered(1397, {"", 0, 1073, 1721}));
    EXPECT_TRUE(is_scattered(0.73, {"", 0, 1.056, 1.143})) << "beside its own interval";
    EXPECT_TRUE(is_scattered(1.3, {"", 0, 1.056, 1.143})) << "beside its own interval";
    EXPECT_FALSE(is_scattered(1.05, {"", 0, 1.056, 1.143})) << "as medians are";
}

TEST(Certainty, IsDisturbedByClocksProcessesAndScatter) {
    EXPECT_FALSE(is_disturbed(1.5, {"l2=cold clocks=steady", 0.01, 1.4, 1.6}));
    EXPECT_TRUE(is_disturbed(1.5, {"clocks=noisy", 0.01, 1.4, 1.6}));
    EXPECT_TRUE(is_disturbed(1.5, {"device=shared", 0.01, 1.4, 1.6}));
    EXPECT_TRUE(is_disturbed(1.5, {"", 0.11, 1.4, 1.6}));
    EXPECT_TRUE(is_disturbed(189, {"", 0.01, 60, 189}));
}

TEST(Certainty, IsProvisionalWhereOtherProcessesTookPart) {
    EXPECT_FALSE(is_provisional({"l2=cold clocks=noisy", 0.01, 1.4, 1.6}));
    EXPECT_TRUE(is_provisional({"l2=warm cpu=contended interleaved", 0.01, 1.4, 1.6}));
    EXPECT_TRUE(is_provisional({"l2=warm", 0.498, 1, 1})) << "its times contradict each other";
}

}  // namespace
}  // namespace jitune::internal
