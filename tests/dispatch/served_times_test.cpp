// SPDX-License-Identifier: Apache-2.0
#include "dispatch/observe/served_times.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

constexpr double kMostNs = 100'000;
constexpr double kSlowNs = 120'000;

void add_batch(ServedTimes& times, double ns, int fast = 0) {
    for (int i = 0; i < static_cast<int>(ServedTimes::kBatch); ++i) {
        times.add(i < fast ? kMostNs : ns);
    }
}

TEST(ServedTimes, AreSlowAfterSeveralSlowBatchesInARowOnly) {
    ServedTimes times;
    for (int round = 0; round < 3; ++round) {
        for (int batch = 1; batch < ServedTimes::kBatches; ++batch) {
            add_batch(times, kSlowNs);
            EXPECT_EQ(times.judge(kMostNs), std::nullopt);
        }
        add_batch(times, kMostNs);
        EXPECT_EQ(times.judge(kMostNs), std::nullopt);
    }
    for (int batch = 0; batch < ServedTimes::kBatches; ++batch) {
        add_batch(times, kSlowNs);
    }
    EXPECT_EQ(times.judge(kMostNs), kSlowNs);
}

TEST(ServedTimes, OfABatchAreFastWhereAFewAre) {
    ServedTimes times;
    for (int batch = 0; batch < ServedTimes::kBatches; ++batch) {
        add_batch(times, kSlowNs, 2);
    }
    EXPECT_EQ(times.judge(kMostNs), kSlowNs) << "a quarter were fast";
    add_batch(times, kSlowNs, 3);
    EXPECT_EQ(times.judge(kMostNs), std::nullopt);
}

TEST(ServedTimes, MayExceedTheStoredTimeByATolerance) {
    ServedTimes times;
    const double most_ns = kMostNs * ServedTimes::kTolerance + ServedTimes::kToleranceNs;
    for (int batch = 0; batch < ServedTimes::kBatches; ++batch) {
        add_batch(times, most_ns - 1);
    }
    EXPECT_EQ(times.judge(kMostNs), std::nullopt);
}

TEST(ServedTimes, AreNewUntilTheyAreJudged) {
    ServedTimes times;
    for (int i = 1; i < static_cast<int>(ServedTimes::kBatch); ++i) {
        times.add(kSlowNs);
        EXPECT_FALSE(times.is_new());
    }
    times.add(kSlowNs);
    EXPECT_TRUE(times.is_new());
    times.skip();
    EXPECT_FALSE(times.is_new());
}

}  // namespace
}  // namespace jitune::internal
