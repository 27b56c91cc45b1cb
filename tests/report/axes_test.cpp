// SPDX-License-Identifier: Apache-2.0
#include "report/axes.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

using Labels = std::vector<std::string>;

Labels labels_of(const std::vector<Tick>& ticks) {
    Labels labels;
    for (const Tick& tick : ticks) {
        labels.push_back(tick.label);
    }
    return labels;
}

Scale logarithmic(double low, double high) {
    return {Scale::Kind::logarithmic, low, high, 0, 100};
}

TEST(Scale, PlacesValuesAndKeepsOthersAtItsEnds) {
    const Scale scale = logarithmic(1, 100);
    EXPECT_DOUBLE_EQ(scale(10), 50);
    EXPECT_DOUBLE_EQ(scale(0.001), 0);
    EXPECT_DOUBLE_EQ(scale(1e9), 100);
    EXPECT_DOUBLE_EQ(scale(0), 0);
    EXPECT_DOUBLE_EQ(Scale(Scale::Kind::linear, 5, 5, 0, 100)(5), 50) << "an empty range";
}

TEST(Ticks, OfSizesArePowersOfTwo) {
    EXPECT_EQ(labels_of(size_ticks(logarithmic(900, 5000), 8)), (Labels{"2^10", "2^11", "2^12"}));
    EXPECT_LE(size_ticks(logarithmic(1, 9e18), 7).size(), 7U);
    EXPECT_EQ(labels_of(size_ticks(logarithmic(1, 1), 7)), Labels{"1"});
}

TEST(Ticks, OfRatesAndTimesAreRound) {
    EXPECT_EQ(labels_of(decimal_ticks(logarithmic(9, 1200), number_label)),
              (Labels{"10", "20", "50", "100", "200", "500", "1000"}));
    EXPECT_EQ(labels_of(decimal_ticks(logarithmic(0.5, 2e9), time_label)).front(), "1 ns");
    EXPECT_EQ(labels_of(decimal_ticks(logarithmic(1000, 1350), time_label)),
              (Labels{"1 us", "1.1 us", "1.2 us", "1.3 us"}));
}

TEST(Ticks, OfCountsAreWhole) {
    const Scale scale(Scale::Kind::linear, 1, 3, 0, 100);
    EXPECT_EQ(labels_of(round_ticks(scale, 6, number_label, 1)), (Labels{"1", "2", "3"}));
}

}  // namespace
}  // namespace jitune::internal
