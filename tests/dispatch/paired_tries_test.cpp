// SPDX-License-Identifier: Apache-2.0
#include "dispatch/paired_tries.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

using Is = PairedTries::Outcome;

void add_rounds(PairedTries& tries, int rounds, double winner_ns, double tried_ns,
                double scatter = 0.001) {
    for (int i = 0; i < rounds; ++i) {
        EXPECT_TRUE(tries.winner_is_next());
        tries.add_winner(winner_ns * (1 + scatter * (i % 7 - 3)));
        EXPECT_FALSE(tries.winner_is_next());
        tries.add_tried(tried_ns);
    }
}

TEST(PairedTries, KnowMeanTimes) {
    PairedTries tries;
    EXPECT_EQ(tries.winner_ns(), 0);
    tries.add_winner(100);
    tries.add_tried(300);
    tries.add_winner(200);
    EXPECT_EQ(tries.winner_ns(), 150);
    EXPECT_EQ(tries.tried_ns(), 300);
}

TEST(PairedTries, SayFasterAtTheFirstLookWhereThatIsClear) {
    PairedTries tries;
    add_rounds(tries, 7, 1000, 900);
    EXPECT_EQ(tries.outcome(), Is::open);
    add_rounds(tries, 1, 1000, 900);
    EXPECT_EQ(tries.outcome(), Is::faster);
    EXPECT_NEAR(tries.ratio()->estimate, 0.9, 0.002);
}

TEST(PairedTries, SaySlowerWhereTheGainIsSmall) {
    PairedTries tries;
    add_rounds(tries, 8, 1000, 990);
    EXPECT_EQ(tries.outcome(), Is::slower);
}

TEST(PairedTries, SaySlowerInTheEndWhereNoiseHidesTheGain) {
    PairedTries tries;
    add_rounds(tries, 63, 1000, 975, 0.2);
    EXPECT_EQ(tries.outcome(), Is::open);
    add_rounds(tries, 1, 1000, 975, 0.2);
    EXPECT_EQ(tries.outcome(), Is::slower);
    const double low = tries.ratio()->low;
    add_rounds(tries, 64, 1000, 500, 0.2);
    EXPECT_EQ(tries.ratio()->low, low) << "they look no more";
}

}  // namespace
}  // namespace jitune::internal
