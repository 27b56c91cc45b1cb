// SPDX-License-Identifier: Apache-2.0
#include "measure/conditions.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

Conditions full() {
    return {.cache = Conditions::Cache::cold,
            .by = "graph",
            .chain = 32,
            .slices = 8,
            .flush = true,
            .clocks = Clocks::noisy,
            .contended = true,
            .shared = true,
            .phase = Conditions::Phase::finals,
            .tries = 2,
            .rivals = 1};
}

TEST(Conditions, HaveTheTextThatDatabasesHold) {
    EXPECT_EQ(full().text(),
              "l2=cold by=graph chain=32 slices=8 flush=1 clocks=noisy cpu=contended "
              "device=shared interleaved tries=2 rivals=1");
    EXPECT_EQ(Conditions{}.text(), "");
}

TEST(Conditions, ParseTheirOwnText) {
    EXPECT_EQ(Conditions::parse(full().text()), full());
    EXPECT_EQ(Conditions::parse(""), Conditions{});
}

class StoredConditions : public testing::TestWithParam<const char*> {};

TEST_P(StoredConditions, KeepTheirTextWhenParsed) {
    EXPECT_EQ(Conditions::parse(GetParam()).text(), GetParam());
}

// The texts of tests/golden, of other tests and of the documentation: every version's form.
INSTANTIATE_TEST_SUITE_P(
    Versions, StoredConditions,
    testing::Values("l2=cold", "l2=warm", "clocks=noisy", "l2=cold interleaved", "l2=cold compared",
                    "by=graph chain=8 slices=9 flush=0 studied", "l2=warm interleaved",
                    "l2=cold chain=32", "l2=cold chain=32 clocks=steady",
                    "l2=cold by=graph chain=32 clocks=steady",
                    "l2=cold by=graph chain=32 slices=8 flush=1",
                    "l2=warm by=loop chain=3 slices=1 flush=0 clocks=unknown",
                    "l2=cold by=loop chain=64 slices=9 flush=1 clocks=steady device=shared",
                    "l2=cold by=graph chain=0 slices=1 flush=0 clocks=noisy interleaved"));

TEST(Conditions, LeaveOutWordsThatTheyDoNotKnow) {
    const Conditions known = Conditions::parse("l2=cold chain=many moon=full flush=2 interleaved");
    EXPECT_EQ(known.text(), "l2=cold interleaved");
}

TEST(Conditions, AreDisturbedByNoisyClocksAndBySharedDevices) {
    EXPECT_FALSE(Conditions{}.disturbed());
    EXPECT_FALSE(Conditions::parse("l2=cold clocks=steady").disturbed());
    EXPECT_FALSE(Conditions::parse("l2=cold clocks=unknown interleaved").disturbed());
    EXPECT_TRUE(Conditions::parse("clocks=noisy").disturbed());
    EXPECT_TRUE(Conditions::parse("clocks=steady device=shared").disturbed());
    EXPECT_TRUE(Conditions::parse("clocks=unknown cpu=contended").disturbed());
}

}  // namespace
}  // namespace jitune::internal
