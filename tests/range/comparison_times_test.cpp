// SPDX-License-Identifier: Apache-2.0
#include "range/comparison_times.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

TEST(ComparisonTimes, OfAnOctaveOfElementsAreAddedUp) {
    ComparisonTimes times;
    times.add({1024}, 1);
    times.add({32, 63}, 2);
    times.add({2048}, 4);
    EXPECT_EQ(times.all(octave_of({1500})), 3);
    EXPECT_EQ(times.all(octave_of({4, 1000})), 4);
    EXPECT_EQ(times.all(9), 0);
}

TEST(ComparisonTimes, ExpectTheShortestOfTheOctaveOrOfTheNextLargerOne) {
    ComparisonTimes times;
    EXPECT_EQ(times.expected({1024}), 0);
    times.add({1 << 10}, 3);
    times.add({1 << 10}, 1);
    times.add({1 << 20}, 9);
    times.add({1 << 20}, 7);
    EXPECT_EQ(times.expected({1500}), 1);
    EXPECT_EQ(times.expected({1}), 1);
    EXPECT_EQ(times.expected({1 << 15}), 7);
    EXPECT_EQ(times.expected({1 << 30}), 7);
    times.add({1 << 20}, 0);
    EXPECT_EQ(times.expected({1 << 20}), 7);
}

}  // namespace
}  // namespace jitune::internal
