// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/coverage.hpp"

#include "fixtures/store_fixture.hpp"

namespace jitune::internal {
namespace {

Winner ranged(const std::string& covers, const std::string& configuration = "block=256",
              double loss_bound = 1.02) {
    Winner winner = winner_of(40);
    winner.sizes = covers.starts_with("rows") ? "rows=1 columns=1" : "n=1";
    winner.range = {covers, loss_bound, 59, false};
    winner.configuration = configuration;
    return winner;
}

std::string text(const Coverage& coverage, const std::vector<SizeBox>& boxes) {
    return coverage_text(boxes, coverage.size_names);
}

TEST(Coverage, NamesTheHolesBetweenTheRangesOfAllWinners) {
    const std::vector<Winner> winners{ranged("n=64..127; n=1..7"), ranged("n=8..15", "block=64")};
    const Coverage coverage = coverage_of(winners).at(0);
    EXPECT_EQ(text(coverage, coverage.served), "n=1..15; n=64..127");
    EXPECT_EQ(text(coverage, coverage.holes), "n=16..63");
    EXPECT_DOUBLE_EQ(coverage.share, 5.0 / 7);
    EXPECT_EQ(coverage.configurations, 2U);
}

TEST(Coverage, OfSeveralSizesIsTheShareOfTheBoxAroundThem) {
    const std::vector<Winner> winners{ranged("rows=1..3 columns=1..15"),
                                      ranged("rows=4..15 columns=1..3")};
    const Coverage coverage = coverage_of(winners).at(0);
    EXPECT_TRUE(coverage.holes.empty());
    EXPECT_DOUBLE_EQ(coverage.share, 0.75);
    EXPECT_EQ(coverage.configurations, 1U);
}

TEST(Coverage, LeavesUnsureWinnersOut) {
    std::vector<Winner> winners{ranged("n=1..7"), ranged("n=8..15", "block=64", 1.5)};
    winners[1].range.unsure = true;
    const Coverage coverage = coverage_of(winners).at(0);
    EXPECT_EQ(text(coverage, coverage.served), "n=1..7");
    ASSERT_EQ(coverage.unsure.size(), 1U);
    EXPECT_EQ(coverage.unsure[0]->configuration, "block=64");
    EXPECT_EQ(coverage.worst()->range.loss_bound, 1.02);
    EXPECT_EQ(coverage.configurations, 1U);
    winners.erase(winners.begin());
    EXPECT_TRUE(coverage_of(winners).at(0).served.empty());
    EXPECT_EQ(coverage_of(winners).at(0).share, 0);
}

TEST(Coverage, KeepsRowsWithOtherNumbersOfSizesApart) {
    const std::vector<Winner> winners{ranged("n=1..7"), ranged("rows=1..3 columns=1..15")};
    ASSERT_EQ(coverage_of(winners).size(), 2U);
    EXPECT_EQ(coverage_of(winners)[0].share, 1);
    EXPECT_EQ(coverage_of(winners)[1].share, 1);
}

TEST(Coverage, FindsTheWorstBoundThatIsKnown) {
    std::vector<Winner> winners{ranged("n=1..7", "a=1", 0), ranged("n=8..15", "a=2", 1.03),
                                ranged("n=16..20", "a=3", 1.01)};
    EXPECT_EQ(coverage_of(winners).at(0).worst()->configuration, "a=2");
    winners.resize(1);
    EXPECT_EQ(coverage_of(winners).at(0).worst(), nullptr);
}

TEST(Coverage, HasOneEntryForEachKeyWhateverTheBucket) {
    std::vector<Winner> winners{ranged("n=1..7"), ranged("n=8..15"), ranged("n=1..7")};
    winners[1].key.bucket = 7;
    winners[2].key.alignment = 4;
    const std::vector<Coverage> all = coverage_of(winners);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].key.alignment, 4);
    EXPECT_EQ(text(all[1], all[1].served), "n=1..15");
    EXPECT_TRUE(coverage_of({}).empty());
}

}  // namespace
}  // namespace jitune::internal
