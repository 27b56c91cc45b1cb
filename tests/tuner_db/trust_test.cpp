// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/trust.hpp"

#include "fixtures/store_fixture.hpp"

namespace jitune::internal {
namespace {

TEST(Trust, IsScatteredWhereTheIntervalOfTheSpeedUpIsWide) {
    EXPECT_FALSE(is_scattered(1.5, {"", 0, 0, 0})) << "unknown";
    EXPECT_FALSE(is_scattered(1.5, {"", 0, 1.4, 1.6}));
    EXPECT_TRUE(is_scattered(1397, {"", 0, 1073, 1721}));
    EXPECT_TRUE(is_scattered(0.73, {"", 0, 1.056, 1.143})) << "beside its own interval";
    EXPECT_TRUE(is_scattered(1.3, {"", 0, 1.056, 1.143})) << "beside its own interval";
    EXPECT_FALSE(is_scattered(1.05, {"", 0, 1.056, 1.143})) << "as medians are";
}

TEST(Trust, IsDisturbedByClocksProcessesAndScatter) {
    EXPECT_FALSE(is_disturbed(1.5, {"l2=cold clocks=steady", 0.01, 1.4, 1.6}));
    EXPECT_TRUE(is_disturbed(1.5, {"clocks=noisy", 0.01, 1.4, 1.6}));
    EXPECT_TRUE(is_disturbed(1.5, {"device=shared", 0.01, 1.4, 1.6}));
    EXPECT_TRUE(is_disturbed(1.5, {"", 0.11, 1.4, 1.6}));
    EXPECT_TRUE(is_disturbed(189, {"", 0.01, 60, 189}));
}

Winner with(const Certainty& certainty) {
    Winner winner = winner_of(40);
    winner.certainty = certainty;
    return winner;
}

const Certainty kSure{"l2=warm clocks=unknown", 0.01, 1.4, 1.6};
const Certainty kContended{"l2=warm cpu=contended", 0.01, 1.4, 1.6};

TEST(Trust, IsProvisionalForTwoTriesAtMost) {
    Winner winner = with(kContended);
    EXPECT_EQ(trust_of(winner), Trust::provisional) << "of an older version, which did not count";
    count_try(winner.certainty, 0);
    EXPECT_EQ(tries_of(winner.certainty), 1U);
    EXPECT_EQ(trust_of(winner), Trust::provisional);
    count_try(winner.certainty, 1);
    EXPECT_EQ(winner.certainty.conditions, "l2=warm cpu=contended tries=2");
    EXPECT_EQ(trust_of(winner), Trust::kept);
    winner.certainty = kSure;
    count_try(winner.certainty, 1);
    EXPECT_EQ(winner.certainty, kSure);
    EXPECT_NE(trust_of(winner), Trust::kept);
}

TEST(Trust, IsTheLeastThatTheRowSays) {
    Winner winner = with(kSure);
    winner.default_median_ns = 1.5 * winner.median_ns;
    EXPECT_EQ(trust_of(winner), Trust::sure);
    winner.default_median_ns = 2.5 * winner.median_ns;
    EXPECT_EQ(trust_of(winner), Trust::scattered) << "beside its own interval";
    winner.pinned = true;
    EXPECT_EQ(trust_of(winner), Trust::pinned);
    winner.certainty = kContended;
    EXPECT_EQ(trust_of(winner), Trust::pinned) << "no tuning would replace it";
    winner.range.unsure = true;
    EXPECT_EQ(trust_of(winner), Trust::unsure);
    winner.image_format = kNoCode;
    EXPECT_EQ(trust_of(winner), Trust::no_code);
    winner.refuted = true;
    EXPECT_EQ(trust_of(winner), Trust::refuted);
}

TEST(Trust, SaysWhatServesAndWhatIsTunedAgain) {
    for (const Trust trust : {Trust::refuted, Trust::no_code, Trust::unsure}) {
        EXPECT_FALSE(may_serve(trust));
        EXPECT_TRUE(is_to_be_tuned(trust));
    }
    EXPECT_TRUE(may_serve(Trust::provisional));
    EXPECT_TRUE(is_to_be_tuned(Trust::provisional));
    for (const Trust trust : {Trust::kept, Trust::scattered, Trust::sure, Trust::pinned}) {
        EXPECT_TRUE(may_serve(trust));
        EXPECT_FALSE(is_to_be_tuned(trust));
    }
}

TEST(Trust, TellsWhereTheDefaultIsToServe) {
    EXPECT_FALSE(may_be_slower(with(kSure)));
    EXPECT_FALSE(may_be_slower(with(kContended)));
    EXPECT_TRUE(may_be_slower(with({"cpu=contended", 0.01, 0.98, 1.6})));
    EXPECT_TRUE(may_be_slower(with({"", 0.01, 0.98, 1.6}))) << "its speed-up is hardly known";
    EXPECT_TRUE(may_be_slower(with({"", 0.097, 0.61, 76.9}))) << "its speed-up is hardly known";
    EXPECT_TRUE(may_be_slower(with({"", 0.01, 0.93, 1.02})));
    EXPECT_FALSE(may_be_slower(with({"", 0.01, 0.99, 1.02}))) << "as fast as one can see";
    EXPECT_FALSE(may_be_slower(with({"", 0.01, 1, 1}))) << "it is the default";
    EXPECT_FALSE(may_be_slower(with({"", 0.01, 0, 0}))) << "of a version that did not compare";
    EXPECT_FALSE(may_be_slower(with({"", 0.35, 1.4, 1.6}))) << "its times scatter";
    EXPECT_TRUE(may_be_slower(with({"", 0.498, 1.4, 1.6}))) << "its times contradict each other";
    EXPECT_TRUE(may_be_slower(with({"", 290, 2000, 2900}))) << "its times contradict each other";
    Winner alone = with({"cpu=contended", 0.01, 0, 0});
    alone.default_median_ns = 0;
    EXPECT_FALSE(may_be_slower(alone)) << "the default failed";
}

TEST(Trust, OfARangeIsJudgedByTheMiddleOfTheInterval) {
    Winner range = with({"", 0.01, 0.93, 1.06});
    range.range.covers = "n=1024..4096";
    EXPECT_FALSE(may_be_slower(range)) << "its comparisons say that it is not";
    range.range.unsure = true;
    EXPECT_TRUE(may_be_slower(range));
    range.range.unsure = false;
    range.certainty.speed_up_high = 0.99;
    EXPECT_TRUE(may_be_slower(range));
}

TEST(Trust, YieldsToWhatIsSureAndComplete) {
    const Winner sure = with(kSure);
    const Winner provisional = with(kContended);
    Winner cut_short = sure;
    cut_short.complete = false;
    Winner unsure = sure;
    unsure.range.unsure = true;
    EXPECT_FALSE(yields(sure, sure));
    EXPECT_TRUE(yields(provisional, sure));
    EXPECT_TRUE(yields(cut_short, sure));
    Winner other = cut_short;
    other.configuration += " other";
    EXPECT_FALSE(yields(other, sure)) << "it was faster than the older one";
    EXPECT_TRUE(yields(unsure, sure));
    for (const Winner& older : {provisional, cut_short, unsure}) {
        EXPECT_FALSE(yields(sure, older));
        EXPECT_FALSE(yields(provisional, older));
        EXPECT_FALSE(yields(cut_short, older));
    }
    Winner elsewhere = sure;
    elsewhere.provenance.driver += " newer";
    Winner chosen = provisional;
    chosen.pinned = true;
    EXPECT_FALSE(yields(chosen, sure)) << "a person wants it";
    EXPECT_FALSE(yields(provisional, elsewhere));
    Winner of_a_range = sure;
    of_a_range.sizes = "n=7";
    EXPECT_FALSE(yields(cut_short, of_a_range)) << "its own problem was not searched";
}

TEST(Trust, IsProvisionalWhereOtherProcessesTookPart) {
    EXPECT_FALSE(is_provisional({"l2=cold clocks=noisy", 0.01, 1.4, 1.6}));
    EXPECT_TRUE(is_provisional({"l2=warm cpu=contended interleaved", 0.01, 1.4, 1.6}));
    EXPECT_TRUE(is_provisional({"l2=warm", 0.498, 1, 1})) << "its times contradict each other";
    EXPECT_TRUE(is_provisional({"l2=warm", 0.097, 0.61, 76.9})) << "its speed-up is not known";
    EXPECT_TRUE(is_provisional({"l2=warm rivals=0", 0.01, 1, 1})) << "nothing else was tried";
    EXPECT_FALSE(is_provisional({"l2=warm", 0.01, 1, 1}));
    EXPECT_FALSE(is_provisional({"l2=warm", 0.01, 0, 0})) << "unknown";
}

}  // namespace
}  // namespace jitune::internal
