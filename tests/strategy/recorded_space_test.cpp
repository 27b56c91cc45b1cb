// SPDX-License-Identifier: Apache-2.0
#include "strategy/recorded_space.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

Parameter digits() {
    Parameter parameter{"any name", {}, 0};
    for (std::int64_t digit = 0; digit < 10; ++digit) {
        parameter.values.emplace_back(digit);
    }
    return parameter;
}

/// 10 configurations: 0 fails, the others take 10 * digit.
RecordedSpace ten() {
    std::vector<RecordedSpace::Row> rows;
    for (std::int64_t digit = 9; digit >= 0; --digit) {
        rows.push_back({{digit}, digit == 0 ? std::nullopt : std::optional(10.0 * double(digit))});
    }
    return RecordedSpace({digits()}, rows);
}

TEST(RecordedSpace, KnowsTheTimeOfEachConfiguration) {
    const RecordedSpace recorded = ten();
    ASSERT_EQ(recorded.space().size(), 10U);
    EXPECT_EQ(recorded.time_ns(0), std::nullopt);
    EXPECT_EQ(recorded.time_ns(9), 90);
    EXPECT_EQ(recorded.best_ns(), 10);
}

TEST(RecordedSpace, RefusesRowsThatAreEqualOrUseless) {
    expect_error(ErrorKind::usage, "there twice", [] {
        RecordedSpace({digits()}, {{{Value(1)}, 5.0}, {{Value(1)}, 6.0}});
    });
    expect_error(ErrorKind::usage, "not listed", [] {
        RecordedSpace({digits()}, {{{Value(11)}, 5.0}});
    });
    expect_error(ErrorKind::usage, "no configuration of the recorded space works", [] {
        RecordedSpace({digits()}, {{{Value(1)}, std::nullopt}});
    });
}

TEST(Replay, CountsFailuresAsEvaluationsAndReportsTheBestSoFar) {
    const std::vector<double> ratios = replay(ten(), "exhaustive", 0, 4, 3);
    ASSERT_EQ(ratios.size(), 4U);
    EXPECT_TRUE(std::isinf(ratios[0]));
    EXPECT_EQ(ratios[1], 1);
    EXPECT_EQ(ratios[3], 1);
}

TEST(Replay, EndsWithTheSpace) {
    EXPECT_EQ(replay(ten(), "random", 1, 100, 7).size(), 10U);
}

TEST(Replay, RepeatsItselfForEqualSeeds) {
    EXPECT_EQ(replay(ten(), "surrogate", 4, 10, 1), replay(ten(), "surrogate", 4, 10, 1));
}

}  // namespace
}  // namespace jitune::internal
