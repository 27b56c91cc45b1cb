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
                               bool passed = true) {
    return judge_ranges({{{{1}, {1000}}, *table.find("a")}}, table, tests, {}, 1.02, passed);
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
    const auto ranges = judge_ranges(fitted, table, {{{300}, 1, true}}, {{200}, {600}}, 1.02, true);
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

TEST(RangeJudgement, AllIsUnsureIfTheTestsHaveNotPassed) {
    CostTable table;
    add(table, 100, 100);
    EXPECT_TRUE(judge(table, {{{200}, 1.0, true}}, false)[0].unsure);
    EXPECT_FALSE(judge(table, {{{200}, 1.0, true}}, true)[0].unsure);
}

TEST(RangeJudgement, TestsPassIfTheyAreEnoughAndFewFailByMuch) {
    std::vector<HeldOutTest> tests(59);
    EXPECT_TRUE(have_passed(tests, 1.02, 59));
    EXPECT_FALSE(have_passed(tests, 1.02, 60));
    const auto fail = [&](std::size_t count, double loss) {
        std::fill_n(tests.begin(), count, HeldOutTest{{1}, loss, false});
        return !have_passed(tests, 1.02, 59);
    };
    EXPECT_FALSE(fail(13, 1.04)) << "by little";
    EXPECT_FALSE(fail(12, 1.5));
    EXPECT_TRUE(fail(13, 1.5));
}

TEST(RangeJudgement, ExpectedLossesAreTrustedUpToWhereMoreThanOneTestInTwentyFails) {
    std::vector<HeldOutTest> tests;
    for (int i = 0; i < 100; ++i) {  // fail more often where more was expected
        tests.push_back({{i}, 1, i < 40 || i % 4 != 0, 1 + i / 1000.0});
    }
    std::reverse(tests.begin(), tests.end());
    // Of the first 52, two fail: 40, 44. The third one, 48, is more than a twentieth of 49.
    EXPECT_EQ(most_trusted_loss(tests, 59), 1.047);
    EXPECT_EQ(most_trusted_loss(tests, 101), std::nullopt) << "too few";
    for (HeldOutTest& test : tests) {
        test.good = false;
    }
    EXPECT_EQ(most_trusted_loss(tests, 59), std::nullopt);
    for (HeldOutTest& test : tests) {
        test.good = test.sizes[0] < 28;
    }
    EXPECT_EQ(most_trusted_loss(tests, 59), std::nullopt) << "of too few";
    tests[70].good = true;  // the 29th
    EXPECT_TRUE(most_trusted_loss(tests, 58).has_value());
    for (HeldOutTest& test : tests) {
        test.expected_loss = 1;
        test.good = test.sizes[0] > 30;
    }
    EXPECT_EQ(most_trusted_loss(tests, 59), std::nullopt) << "equal losses are trusted together";
}

TEST(RangeJudgement, DoubtfulRangesAreUnsureUnlessAllTheirSizesWereCompared) {
    CostTable table;
    add(table, 1, 100);
    add(table, 2, 100);
    const auto is_unsure = [&](std::int64_t to) {
        const std::vector<FittedRange> fitted{{{{1}, {to}}, *table.find("a"), 1, true}};
        return judge_ranges(fitted, table, {}, {}, 1.02, true)[0].unsure;
    };
    EXPECT_TRUE(is_unsure(3));
    EXPECT_FALSE(is_unsure(2));
}

TEST(RangeJudgement, SizesThatWereAllComparedNeedNoTest) {
    CostTable table;
    add(table, 1, 100);
    add(table, 2, 100);
    const std::vector<FittedRange> fitted{{{{1}, {2}}, *table.find("a")}};
    EXPECT_FALSE(judge_ranges(fitted, table, {}, {}, 1.02, false)[0].unsure);
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
        judge_ranges({{domain, 0}}, table, {{{50, 50}, 1.5, false}}, {}, 1.02, true);
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
