// SPDX-License-Identifier: Apache-2.0
#include "dispatch/paired_tries.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

using Is = PairedTries::Outcome;

/// Rounds of which each first launch takes 50 ns more, since the data is in no cache.
void add_rounds(PairedTries& tries, int rounds, double winner_ns, double tried_ns,
                double scatter = 0.001) {
    for (int i = 0; i < 2 * rounds; ++i) {
        const bool first = tries.winner_goes_first();
        const double noise = 1 + scatter * (i % 7 - 3);
        tries.add(first, winner_ns * noise + (first ? 50 : 0), tried_ns + (first ? 0 : 50));
    }
}

TEST(PairedTries, TakesBothOrdersInTurn) {
    PairedTries tries;
    EXPECT_TRUE(tries.winner_goes_first());
    tries.add(true, 150, 100);
    EXPECT_FALSE(tries.winner_goes_first());
    tries.add(false, 100, 150);
    EXPECT_TRUE(tries.winner_goes_first());
    EXPECT_EQ(tries.count(), 2);
    EXPECT_EQ(tries.winner_ns(), 125);
    EXPECT_EQ(tries.tried_ns(), 125);
}

TEST(PairedTries, SaysFasterAtTheFirstLookWhereThatIsClear) {
    PairedTries tries;
    add_rounds(tries, 7, 1000, 900);
    EXPECT_EQ(tries.outcome(), Is::open);
    add_rounds(tries, 1, 1000, 900);
    EXPECT_EQ(tries.outcome(), Is::faster);
    EXPECT_NEAR(tries.ratio()->estimate, 0.903, 0.002);
}

TEST(PairedTries, TakesNoOrderForAGain) {
    PairedTries tries;
    add_rounds(tries, 8, 1000, 1000);
    EXPECT_EQ(tries.outcome(), Is::slower);
    EXPECT_NEAR(tries.ratio()->estimate, 1, 0.002);
}

TEST(PairedTries, SaysSlowerWhereTheGainIsSmall) {
    PairedTries tries;
    add_rounds(tries, 8, 1000, 990);
    EXPECT_EQ(tries.outcome(), Is::slower);
}

TEST(PairedTries, SaysSlowerInTheEndWhereNoiseHidesTheGain) {
    PairedTries tries;
    add_rounds(tries, 63, 1000, 975, 0.2);
    EXPECT_EQ(tries.outcome(), Is::open);
    add_rounds(tries, 1, 1000, 975, 0.2);
    EXPECT_EQ(tries.outcome(), Is::slower);
    const double low = tries.ratio()->low;
    add_rounds(tries, 64, 1000, 500, 0.2);
    EXPECT_EQ(tries.ratio()->low, low) << "it looks no more";
}

}  // namespace
}  // namespace jitune::internal
