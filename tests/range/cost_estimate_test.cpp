// SPDX-License-Identifier: Apache-2.0
#include "range/cost_estimate.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

/// Adds a probe with these times.
void add(CostTable& table, const Sizes& sizes, const std::map<std::string, double>& times) {
    Comparison comparison;
    for (const auto& [configuration, ns] : times) {
        comparison.timings[configuration] = {ns, 0};
    }
    table.add(sizes, {}, comparison);
}

TEST(CostEstimate, LiesOnTheLineBetweenTheLogarithmsOfBothNeighbours) {
    CostTable table;
    add(table, {10}, {{"a", 1}});
    add(table, {1000}, {{"a", 100}});
    add(table, {8000}, {{"a", 800}});
    add(table, {10'000}, {{"a", 1e9}});
    const auto cost = estimated_time(table, "a", {2000}).value();
    EXPECT_NEAR(cost.value, 200, 0.001);
    EXPECT_EQ(cost.octaves, 1);
}

TEST(CostEstimate, IsTheProbesOwnTimeWhereItWasMeasured) {
    CostTable table;
    add(table, {1000}, {{"a", 100}});
    add(table, {1001}, {{"a", 70}});
    EXPECT_EQ(estimated_time(table, "a", {1001}).value().value, 70);
    EXPECT_EQ(estimated_time(table, "a", {1001}).value().octaves, 0);
}

TEST(CostEstimate, TakesTheLastProbeForSizesBeyondIt) {
    CostTable table;
    add(table, {1024}, {{"a", 100}});
    add(table, {2048}, {{"a", 300}});
    const auto beyond = estimated_time(table, "a", {16'384}).value();
    EXPECT_NEAR(beyond.value, 300, 0.001);
    EXPECT_EQ(beyond.octaves, 3);
}

TEST(CostEstimate, TakesTheProbesAroundTheSizesInEachDimension) {
    CostTable table;
    add(table, {1024, 64}, {{"a", 100}});
    add(table, {4096, 64}, {{"a", 400}});
    add(table, {2048, 32}, {{"a", 200}});
    add(table, {2048, 128}, {{"a", 200}});
    add(table, {8192, 64}, {{"a", 1e9}});  // behind another
    add(table, {8192, 256}, {{"a", 1e9}});
    EXPECT_NEAR(estimated_time(table, "a", {2048, 64}).value().value, 200, 0.001);
}

TEST(CostEstimate, FollowsASlopeThatRunsAcrossTheDimensions) {
    CostTable table;
    for (const std::int64_t rows : {64, 256, 1024, 4096}) {
        for (const std::int64_t columns : {32, 128, 512}) {
            add(table, {rows, columns},
                {{"a", static_cast<double>(rows) / static_cast<double>(columns)}});
        }
    }
    EXPECT_NEAR(estimated_time(table, "a", {700, 90}).value().value, 700.0 / 90, 0.01);
}

TEST(CostEstimate, StaysBetweenTheValuesItIsMadeFrom) {
    CostTable table;
    add(table, {64, 64}, {{"a", 100}});
    add(table, {128, 64}, {{"a", 200}});
    add(table, {64, 128}, {{"a", 200}});
    EXPECT_NEAR(estimated_time(table, "a", {4096, 4096}).value().value, 200, 0.001);
}

TEST(CostEstimate, IsMadeFromProbesThatTimedTheConfiguration) {
    CostTable table;
    add(table, {1000}, {{"a", 100}, {"b", 50}});
    add(table, {2000}, {{"b", 1}});
    add(table, {4000}, {{"a", 100}, {"b", 200}});
    EXPECT_NEAR(estimated_time(table, "a", {2000}).value().value, 100, 0.001);
    EXPECT_NEAR(estimated_ratio(table, "a", "b", {2000}).value().value, 1, 0.001);
    EXPECT_EQ(estimated_ratio(table, "a", "b", {1000}).value().value, 2);
    EXPECT_FALSE(estimated_time(table, "c", {2000}));
    EXPECT_FALSE(estimated_ratio(table, "a", "c", {2000}));
    EXPECT_FALSE(estimated_time(CostTable(), "a", {2000}));
}

TEST(CostEstimate, LeavesOutConfigurationsThatWereFoundWrong) {
    CostTable table;
    add(table, {1000}, {{"a", 100}});
    table.refute(*table.find("a"));
    EXPECT_FALSE(estimated_time(table, "a", {1000}));
}

}  // namespace
}  // namespace jitune::internal
