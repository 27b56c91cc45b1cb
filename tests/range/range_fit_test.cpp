// SPDX-License-Identifier: Apache-2.0
#include "range/range_fit.hpp"

#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "range/size_grid.hpp"

namespace jitune::internal {
namespace {

TEST(RangeFit, FindsTheRoundestNumber) {
    EXPECT_EQ(roundest(4000, 4200), 4096);
    EXPECT_EQ(roundest(4096, 4097), 4096);
    EXPECT_EQ(roundest(5, 7), 6);
    EXPECT_EQ(roundest(1, 2), 1);
}

TEST(RangeFit, JoinsBoxesThatTouch) {
    const std::vector<SizeBox> boxes{{{1, 1}, {4, 8}}, {{5, 1}, {9, 8}}, {{1, 10}, {9, 12}}};
    EXPECT_EQ(joined(boxes), (std::vector<SizeBox>{{{1, 1}, {9, 8}}, {{1, 10}, {9, 12}}}));
}

class RangeFitTest : public testing::Test {
protected:
    void probe(std::int64_t n, double a, double b, double c) {
        Comparison comparison;
        comparison.timings = {{"a", {a, 0}}, {"b", {b, 0}}, {"c", {c, 0}}};
        table_.add({n}, {}, comparison);
    }
    std::vector<FittedRange> fit(std::size_t most_codes = 8) {
        return fit_ranges(table_, {SizeBox{{1}, {1000}}}, {0, 1, 2}, {1.02, most_codes});
    }
    [[nodiscard]] std::string at(const std::vector<FittedRange>& ranges, std::int64_t n) const {
        return table_.configurations()[range_of(ranges, {n}).configuration];
    }

    CostTable table_;
};

TEST_F(RangeFitTest, CutsBetweenProbesAtTheRoundestNumber) {
    probe(60, 100, 200, 300);
    probe(70, 200, 100, 300);
    const auto ranges = fit();
    ASSERT_EQ(ranges.size(), 2U);
    EXPECT_EQ(ranges[0].box, (SizeBox{{1}, {64}}));
    EXPECT_EQ(at(ranges, 64), "a");
    EXPECT_EQ(at(ranges, 65), "b");
}

TEST_F(RangeFitTest, CutsAPocketOut) {
    for (const std::int64_t n : {10, 20, 30, 50, 60, 70}) {
        probe(n, 100, 200, 300);
    }
    probe(40, 200, 100, 300);
    const auto ranges = fit();
    EXPECT_EQ(ranges.size(), 3U);
    EXPECT_EQ(at(ranges, 30), "a");
    EXPECT_EQ(at(ranges, 40), "b");
    EXPECT_EQ(at(ranges, 50), "a");
}

TEST_F(RangeFitTest, KeepsOneThatIsGoodEnoughEverywhere) {
    probe(10, 100, 101, 300);
    probe(20, 200, 101, 100);
    const auto ranges = fit();
    ASSERT_EQ(ranges.size(), 1U);
    EXPECT_EQ(at(ranges, 1), "b");
}

TEST_F(RangeFitTest, KeepsNoMoreBinariesThanItMay) {
    probe(10, 100, 150, 300);
    probe(20, 150, 100, 300);
    probe(40, 150, 150, 100);
    const auto configurations = [](const std::vector<FittedRange>& ranges) {
        std::set<std::size_t> different;
        for (const FittedRange& range : ranges) {
            different.insert(range.configuration);
        }
        return different.size();
    };
    EXPECT_EQ(configurations(fit(8)), 3U);
    EXPECT_EQ(configurations(fit(2)), 2U);
    EXPECT_EQ(configurations(fit(1)), 1U);
}

TEST_F(RangeFitTest, WithoutRoomForAllKeepsWhatMoreWouldBeLostWithout) {
    probe(1, 100, 150, 300);
    probe(2, 100, 150, 300);
    probe(3, 100, 150, 300);
    probe(4, 100, 150, 300);
    probe(20, 104, 100, 300);
    probe(21, 104, 100, 300);
    probe(500, 150, 150, 100);
    const auto ranges = fit(2);
    EXPECT_EQ(at(ranges, 1), "a");
    EXPECT_EQ(at(ranges, 20), "a") << "4 % at two probes are less than 50 % at one";
    EXPECT_EQ(at(ranges, 500), "c");
}

TEST_F(RangeFitTest, DoesNotDependOnTheOrderOfTheProbes) {
    probe(10, 100, 100, 300);
    probe(500, 300, 200, 100);
    const auto ranges = fit();
    CostTable other;
    other.number_of("c");
    other.number_of("b");
    std::swap(table_, other);
    probe(500, 300, 200, 100);
    probe(10, 100, 100, 300);
    const auto again = fit_ranges(table_, {SizeBox{{1}, {1000}}}, {0, 1, 2}, {1.02, 8});
    ASSERT_EQ(again.size(), ranges.size());
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        EXPECT_EQ(again[i].box, ranges[i].box);
        EXPECT_EQ(table_.configurations()[again[i].configuration],
                  other.configurations()[ranges[i].configuration])
            << "a tie goes to the first text";
    }
}

TEST_F(RangeFitTest, CutsPartsApartFromEachOther) {
    probe(10, 1, 1, 1.5);
    probe(100, 1, 2, 2);
    probe(900, 2, 1, 2);
    const std::vector<SizeBox> parts{{{1}, {150}}, {{151}, {1000}}};
    const auto ranges = fit_ranges(table_, parts, {0, 1, 2}, {1.02, 8});
    ASSERT_EQ(ranges.size(), 2U);
    EXPECT_EQ(ranges[0].box, parts[0]);
    EXPECT_EQ(ranges[1].box, parts[1]);
    EXPECT_EQ(at(ranges, 150), "a");
    EXPECT_EQ(at(ranges, 151), "b");
}

TEST(CostTable, AFailureTellsOfSizesNearBy) {
    CostTable table;
    const std::size_t failing = table.number_of("failing");
    table.add({1 << 20}, {failing}, {.timings = {{"a", {100, 0.01}}}, .standard = {100, 0.01}});
    EXPECT_TRUE(table.is_hopeless(failing, {1 << 20}));
    EXPECT_FALSE(table.is_plausible(failing, {1 << 19}));
    EXPECT_FALSE(table.is_hopeless(failing, {1 << 12}));
    EXPECT_TRUE(table.is_plausible(failing, {1 << 12}));
    table.refute(failing);
    EXPECT_TRUE(table.is_hopeless(failing, {1 << 12}));
}

/// Probes where the configuration "one" takes so many times as long as the best.
CostTable with_losses(const std::vector<std::pair<Sizes, double>>& losses) {
    CostTable table;
    for (const auto& [sizes, loss] : losses) {
        Comparison comparison;
        comparison.timings = {{"one", {1000 * loss, 0}}, {"best", {1000, 0}}};
        table.add(sizes, {}, comparison);
    }
    return table;
}

TEST(CostTable, ALossThatRisesTellsOfSizesBehindIt) {
    const CostTable table = with_losses({{{1 << 10}, 1.0}, {{1 << 12}, 1.2}, {{1 << 14}, 1.5}});
    const std::size_t one = *table.find("one");
    EXPECT_FALSE(table.is_plausible(one, {1 << 24}));
    EXPECT_TRUE(table.is_hopeless(one, {1 << 24}));
    EXPECT_TRUE(table.is_plausible(one, {1 << 11}));
    EXPECT_TRUE(table.is_plausible(*table.find("best"), {1 << 24}));
}

TEST(CostTable, ALossThatFallsAgainTellsNothingOfSizesBehindIt) {
    const CostTable nearer =
        with_losses({{{1 << 10}, 1.0}, {{1 << 12}, 1.5}, {{1 << 16}, 1.2}, {{1 << 17}, 1.1}});
    EXPECT_TRUE(nearer.is_plausible(*nearer.find("one"), {1 << 24}));
    const CostTable behind = with_losses({{{1 << 10}, 1.0}, {{1 << 12}, 1.5}, {{1 << 28}, 1.0}});
    EXPECT_TRUE(behind.is_plausible(*behind.find("one"), {1 << 24}))
        << "a search has found it there";
    EXPECT_FALSE(behind.is_plausible(*behind.find("one"), {1 << 12}));
}

TEST(CostTable, NoiseIsNoRise) {
    const CostTable table = with_losses({{{1 << 10}, 1.5}, {{1 << 12}, 1.52}});
    EXPECT_TRUE(table.is_plausible(*table.find("one"), {1 << 24}));
}

TEST(CostTable, ALossThatRisesInSeveralSizesTellsNothingOfOthers) {
    const CostTable table = with_losses({{{64, 64}, 1.0}, {{128, 128}, 1.5}, {{4100, 4000}, 1.0}});
    EXPECT_TRUE(table.is_plausible(*table.find("one"), {4096, 4096}));
}

TEST(SizeGrid, CellsAreABoxCutAtPowersOfTwoAndHalfwayBetween) {
    const SizeBox box{{3, 5}, {9, 6}};
    const std::vector<SizeBox> cells = cells_of(box);
    const std::vector<SizeBox> wanted{
        {{3, 5}, {3, 6}}, {{4, 5}, {4, 6}}, {{5, 5}, {6, 6}}, {{7, 5}, {8, 6}}, {{9, 5}, {9, 6}}};
    EXPECT_EQ(cells, wanted);
    EXPECT_EQ(joined(cells), std::vector<SizeBox>{box});
    const SizeBox cube{{1, 1, 1}, {8, 8, 8}};
    EXPECT_EQ(cells_of(cube).size(), 216U);
    EXPECT_EQ(joined(cells_of(cube)), std::vector<SizeBox>{cube});
    const SizeBox many{Sizes(6, 1), Sizes(6, 1 << 20)};
    EXPECT_LE(cells_of(many).size(), 4000U);
    EXPECT_EQ(joined(cells_of(many)), std::vector<SizeBox>{many});
    EXPECT_EQ(middle_of({{4, 7}, {16, 7}}), (Sizes{8, 7}));
    const SizeBox largest{{1}, {std::numeric_limits<std::int64_t>::max()}};
    EXPECT_EQ(joined(cells_of(largest)), std::vector<SizeBox>{largest});
}

TEST(SizeGrid, HalvesTheDistanceBetweenTwoSizes) {
    EXPECT_EQ(between({4000}, {4200}), Sizes{4096});
    EXPECT_EQ(between({4096}, {4200}), Sizes{4097}) << "just behind a round size";
    EXPECT_EQ(between({4097}, {4098}), Sizes{4097}) << "nothing lies between";
    EXPECT_EQ(between({16, 1}, {64, 1}), (Sizes{32, 1}));
}

TEST(SizeGrid, AnchorsReachFromEndToEnd) {
    for (const SizeBox& box : {SizeBox{{1}, {1}}, {{1000}, {1024}}, {{1024}, {1 << 30}}}) {
        const std::vector<Sizes> anchors = anchors_of(box, 1);
        EXPECT_EQ(anchors.front(), box.from);
        EXPECT_EQ(anchors.back(), box.to);
        for (const Sizes& one : anchors) {
            EXPECT_TRUE(box.contains(one)) << one[0];
        }
    }
    EXPECT_EQ(anchors_of({{1024}, {1 << 30}}, 1).size(), 21U);
    EXPECT_EQ(anchors_of({{16, 16}, {65536, 65536}}, 4).size(), 16U);
}

TEST(SizeGrid, RandomSizesAreInTheBox) {
    std::mt19937_64 random(1);
    const SizeBox box{{7, 1}, {7, 3}};
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(box.contains(random_sizes(box, random)));
    }
    for (const Sizes& one : grid_of(box, 3, random)) {
        EXPECT_TRUE(box.contains(one));
    }
}

TEST(CostTable, ServesIfItLosesLittleToTheBestAndAQuarterOfThatToTheDefault) {
    CostTable table;
    const Comparison comparison{.timings = {{"a", {100, 0}}, {"b", {107, 0}}, {"c", {111, 0}}},
                                .standard = {105, 0}};
    table.add({8}, {}, comparison);
    const CostTable::Probe& probe = table.probes().front();
    EXPECT_TRUE(table.serves(probe, 1, 1.1));
    EXPECT_FALSE(table.serves(probe, 1, 1.07)) << "1.9 % over the default";
    EXPECT_FALSE(table.serves(probe, 2, 1.1));
}

TEST(BestTogether, AddsWhatHelpsMostThenWhatLosesLeastAlone) {
    CostTable table;
    const auto add = [&](std::int64_t n, double a, double b, double c, double d) {
        table.add({n}, {},
                  {.timings = {{"a", {a, 0}}, {"b", {b, 0}}, {"c", {c, 0}}, {"d", {d, 0}}}});
    };
    add(1, 120, 100, 200, 300);
    add(2, 120, 200, 100, 300);
    add(3, 120, 130, 140, 150);
    const auto names = [&](std::size_t most) {
        std::string all;
        for (const std::size_t one : best_together(table, most)) {
            all += table.configurations()[one];
        }
        return all;
    };
    EXPECT_EQ(names(1), "a") << "good everywhere";
    EXPECT_EQ(names(3), "abc") << "b and c help where they are best, d nowhere";
    EXPECT_EQ(names(9), "abcd");
    table.refute(0);
    EXPECT_EQ(names(2), "bc");
}

}  // namespace
}  // namespace jitune::internal
