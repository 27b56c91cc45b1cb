// SPDX-License-Identifier: Apache-2.0
#include "dispatch/challenger.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

using Names = std::vector<std::string>;

Measurement timed(const std::string& configuration, double ns,
                  const std::string& sizes = "n=1000") {
    Measurement one;
    one.sizes = sizes;
    one.configuration = configuration;
    one.samples_ns = {ns, ns, ns};
    one.provenance.device_name = "Fake";
    return one;
}

Winner winner() {
    Winner winner;
    winner.configuration = "w";
    winner.provenance.device_name = "Fake";
    return winner;
}

TEST(Challengers, AreTheThreeNearestToTheWinner) {
    const std::vector rows{timed("w", 100), timed("a", 109), timed("b", 101),
                           timed("c", 99),  timed("d", 105), timed("far", 115)};
    EXPECT_EQ(challengers(rows, winner(), {}), (Names{"c", "b", "d"}));
    EXPECT_EQ(challengers(rows, winner(), {"c", "d"}), (Names{"b", "a"}));
}

TEST(Challengers, AreNearAtAnySizesThatTheWinnerWasTimedAt) {
    const std::vector rows{timed("w", 100), timed("a", 120), timed("w", 100, "n=900"),
                           timed("a", 104, "n=900"), timed("b", 10, "n=800")};
    EXPECT_EQ(challengers(rows, winner(), {}), Names{"a"});
}

TEST(Challengers, AreNoneThatFailedAnywhere) {
    std::vector rows{timed("w", 100), timed("a", 101), timed("a", 0, "n=1100")};
    rows[2].verdict = Verdict::wrong_result;
    EXPECT_EQ(challengers(rows, winner(), {}), Names{});
}

}  // namespace
}  // namespace jitune::internal
