// SPDX-License-Identifier: Apache-2.0
#include "range/range_judgement.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

/// Adds a probe where "a" takes so long, and the best 100 ns.
void add(CostTable& table, std::int64_t n, double ns) {
    Comparison comparison;
    comparison.timings = {{"a", {ns, 0}}, {"b", {100, 0}}};
    table.add({n}, {}, comparison);
}

std::vector<ServedRange> judge(const CostTable& table, const std::vector<HeldOutTest>& tests,
                               int wanted_tests = 1, int dimensions = 1) {
    return judge_ranges({{{{1}, {1000}}, *table.find("a")}}, table, tests, {}, 1.02, wanted_tests,
                        dimensions);
}

using Boxes = std::vector<SizeBox>;

TEST(RangeJudgement, ABoundIsTheLargestLossThatWasSeen) {
    CostTable table;
    add(table, 100, 101.5);
    add(table, 500, 100);
    const auto ranges = judge(table, {{{200}, 1.01, true}, {{300}, 1.005, true}});
    ASSERT_EQ(ranges.size(), 1U);
    EXPECT_EQ(ranges[0].boxes, (Boxes{{{1}, {1000}}}));
    EXPECT_NEAR(ranges[0].loss_bound, 1.015, 1e-9) << "also of its probes";
    EXPECT_EQ(ranges[0].held_out, 2);
    EXPECT_FALSE(ranges[0].unsure);
}

TEST(RangeJudgement, OnlyTheSizesAroundAFailureAreUnsure) {
    CostTable table;
    add(table, 100, 100);
    add(table, 500, 100);
    add(table, 800, 100);
    const auto ranges = judge(table, {{{550}, 1.2, false}, {{600}, 1.0, true}});
    ASSERT_EQ(ranges.size(), 2U);
    EXPECT_EQ(ranges[0].boxes, (Boxes{{{1}, {500}}, {{600}, {1000}}}));
    EXPECT_FALSE(ranges[0].unsure);
    EXPECT_EQ(ranges[0].loss_bound, 1);
    EXPECT_EQ(ranges[1].boxes, (Boxes{{{501}, {599}}}));
    EXPECT_TRUE(ranges[1].unsure);
    EXPECT_EQ(ranges[1].loss_bound, 1.2);
    EXPECT_EQ(ranges[1].sizes, Sizes{550});
}

TEST(RangeJudgement, TheSizesAroundAnUnknownOneAreUnsure) {
    CostTable table;
    add(table, 100, 100);
    add(table, 500, 100);
    const std::vector<FittedRange> fitted{{{{1}, {1000}}, *table.find("a")}};
    const auto ranges = judge_ranges(fitted, table, {{{300}, 1, true}}, {{200}, {600}}, 1.02, 1, 1);
    ASSERT_EQ(ranges.size(), 2U);
    EXPECT_EQ(ranges[0].boxes, (Boxes{{{1}, {100}}, {{300}, {500}}}));
    EXPECT_FALSE(ranges[0].unsure);
    EXPECT_EQ(ranges[1].boxes, (Boxes{{{101}, {299}}, {{501}, {1000}}}));
    EXPECT_TRUE(ranges[1].unsure);
    EXPECT_EQ(ranges[1].held_out, 0) << "an unknown size is no test";
}

TEST(RangeJudgement, FailuresBesideEachOtherShareAnUnsurePart) {
    CostTable table;
    add(table, 100, 100);
    add(table, 300, 150);
    const auto ranges = judge(table, {{{200}, 1.3, false}, {{400}, 1.0, true}});
    ASSERT_EQ(ranges.size(), 2U);
    EXPECT_EQ(ranges[1].boxes, (Boxes{{{101}, {399}}}));
    EXPECT_TRUE(ranges[1].unsure);
}

TEST(RangeJudgement, AllIsUnsureWithoutEnoughTests) {
    CostTable table;
    add(table, 100, 100);
    EXPECT_TRUE(judge(table, {}, 59)[0].unsure);
    EXPECT_TRUE(judge(table, {{{200}, 1.0, true}}, 59)[0].unsure);
    EXPECT_FALSE(judge(table, {{{200}, 1.0, true}}, 1)[0].unsure);
}

TEST(RangeJudgement, AllIsUnsureWhereTooManyTestsFail) {
    CostTable table;
    add(table, 1, 100);
    std::vector<HeldOutTest> tests;
    for (std::int64_t n = 2; n <= 60; ++n) {
        tests.push_back({{n}, 1, true});
    }
    const auto all_unsure = [&](std::size_t bad, double loss, int dimensions) {
        for (std::size_t i = 0; i < bad; ++i) {
            tests[4 * i] = {tests[4 * i].sizes, loss, false};
        }
        const auto ranges = judge(table, tests, 59, dimensions);
        return std::count_if(ranges.begin(), ranges.end(), [](const ServedRange& range) {
                   return range.unsure;
               }) == std::ssize(ranges);
    };
    EXPECT_FALSE(all_unsure(3, 1.04, 2));
    EXPECT_TRUE(all_unsure(4, 1.04, 2));
    EXPECT_FALSE(all_unsure(13, 1.04, 1)) << "by little";
    EXPECT_FALSE(all_unsure(12, 1.5, 1));
    EXPECT_TRUE(all_unsure(13, 1.5, 1));
}

TEST(RangeJudgement, DoubtfulRangesAreUnsureUnlessAllTheirSizesWereCompared) {
    CostTable table;
    add(table, 1, 100);
    add(table, 2, 100);
    const auto is_unsure = [&](std::int64_t to) {
        const std::vector<FittedRange> fitted{{{{1}, {to}}, *table.find("a"), true}};
        return judge_ranges(fitted, table, {}, {}, 1.02, 0, 2)[0].unsure;
    };
    EXPECT_TRUE(is_unsure(3));
    EXPECT_FALSE(is_unsure(2));
}

TEST(RangeJudgement, SizesThatWereAllComparedNeedNoTest) {
    CostTable table;
    add(table, 1, 100);
    add(table, 2, 100);
    const std::vector<FittedRange> fitted{{{{1}, {2}}, *table.find("a")}};
    EXPECT_FALSE(judge_ranges(fitted, table, {}, {}, 1.02, 59, 1)[0].unsure);
}

TEST(RangeJudgement, CutsUnsurePartsOutOfSeveralDimensions) {
    CostTable table;
    Comparison comparison;
    comparison.timings = {{"a", {100, 0}}};
    for (const Sizes& sizes : {Sizes{10, 10}, Sizes{10, 90}, Sizes{90, 10}, Sizes{90, 90}}) {
        table.add(sizes, {}, comparison);
    }
    const SizeBox domain{{1, 1}, {100, 100}};
    const auto ranges =
        judge_ranges({{domain, 0}}, table, {{{50, 50}, 1.5, false}}, {}, 1.02, 1, 2);
    ASSERT_EQ(ranges.size(), 2U);
    double sizes = 0;
    for (const ServedRange& range : ranges) {
        EXPECT_EQ(range.unsure, covers(range.boxes, Sizes{50, 50}));
        for (const SizeBox& box : range.boxes) {
            sizes += static_cast<double>(box.to[0] - box.from[0] + 1) *
                     static_cast<double>(box.to[1] - box.from[1] + 1);
        }
    }
    EXPECT_EQ(sizes, 10'000) << "no hole and no overlap";
}

}  // namespace
}  // namespace jitune::internal
