// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/exploration.hpp"

#include "fixtures/store_fixture.hpp"

namespace jitune::internal {
namespace {

class ExplorationStore : public StoreFixture {
protected:
    static Exploration open_one() {
        Exploration one;
        one.key = key_of(40);
        one.sizes = "n=1048576";
        one.configuration = "block=128";
        one.winner = "block=256";
        one.tries = 4;
        one.cost_ns = 4000;
        one.device_name = "NVIDIA H200";
        one.first_at = one.last_at = "2026-11-21T16:00:00Z";
        return one;
    }
    void report(const Exploration& one) { open()->add({.misses = {}, .explorations = {one}}); }
};

TEST_F(ExplorationStore, AddsUpTriesAndCostsAndKeepsTheLastOutcome) {
    report(open_one());
    Exploration later = open_one();
    later.outcome = Exploration::kDiffers;
    later.reason = "result[0]: got 1, expected 2";
    later.tries = 1;
    later.cost_ns = 900;
    later.first_at = later.last_at = "2026-11-22T16:00:00Z";
    report(later);
    later.tries = 5;
    later.cost_ns = 4900;
    later.first_at = "2026-11-21T16:00:00Z";
    EXPECT_EQ(open()->explorations(), std::vector{later});
}

TEST_F(ExplorationStore, FinalOutcomesStay) {
    Exploration one = open_one();
    one.outcome = Exploration::kFaster;
    report(one);
    report(open_one());
    EXPECT_EQ(open()->explorations().at(0).outcome, Exploration::kFaster);
    one.outcome = Exploration::kSlower;
    one.reason = "not in a race";
    report(one);
    one.outcome = Exploration::kFaster;
    one.reason = "";
    report(one);
    const Exploration sum = open()->explorations().at(0);
    EXPECT_EQ(sum.outcome, Exploration::kSlower);
    EXPECT_EQ(sum.reason, "not in a race");
    EXPECT_EQ(sum.tries, 16);
}

TEST_F(ExplorationStore, DoubtsTheWinnerThanWhichOneIsFaster) {
    const Winner winner = winner_of(40);
    open()->save({}, winner);
    Exploration one = open_one();
    one.sizes = winner.sizes;
    one.winner = winner.configuration;
    report(one);
    EXPECT_TRUE(open()->doubts().empty());
    one.outcome = Exploration::kFaster;
    report(one);
    ASSERT_EQ(open()->doubts().size(), 1U);
    EXPECT_EQ(open()->doubts()[0].reason, Doubt::kExplored);
    EXPECT_TRUE(open()->doubts()[0].is_about(winner));
    one.outcome = Exploration::kReplaced;
    report(one);
    EXPECT_TRUE(open()->doubts().empty()) << "a race has decided";
}

TEST_F(ExplorationStore, TellsSizesAndWinnersApart) {
    report(open_one());
    Exploration other = open_one();
    other.sizes = "n=1048577";
    report(other);
    other.winner = "block=512";
    report(other);
    EXPECT_EQ(open()->explorations().size(), 3U);
}

TEST_F(ExplorationStore, LeavesDamagedRowsOut) {
    report(open_one());
    sql("UPDATE exploration SET cost_ns = 9");
    EXPECT_TRUE(open()->explorations().empty());
    EXPECT_EQ(open()->verify().problems,
              std::vector<std::string>{"exploration 1: wrong digest, type, sizes, times or bound"});
    report(open_one());
    EXPECT_EQ(open()->explorations().size(), 1U);
}

}  // namespace
}  // namespace jitune::internal
