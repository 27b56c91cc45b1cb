// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/tried_candidates.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

/// Of 1 of 4 candidates.
std::string rest_after(double budget_s, std::optional<double> left_s, bool is_counted_out = false) {
    TriedCandidates tried;
    tried.candidates = 4;
    tried.tried = 1;
    tried.budget_s = budget_s;
    tried.left_s = left_s;
    tried.is_counted_out = is_counted_out;
    return tried_text(tried).substr(std::string("1 of 4 configurations tried (25 %), ").size());
}

TEST(TriedCandidates, SuggestABudgetAboveTheOneThatWasGiven) {
    EXPECT_EQ(rest_after(2, 0.1), "about 1 s more for the rest: --budget 3\n");
    EXPECT_EQ(rest_after(30, 4), "about 4 s more for the rest: --budget 35\n");
    EXPECT_EQ(rest_after(2.5, 100), "about 1:40 more for the rest: --budget 128\n");
}

TEST(TriedCandidates, SuggestWhatLimitedTheSearch) {
    EXPECT_EQ(rest_after(2, 1, true), "about 1 s more for the rest: --evaluations 0 --budget 4\n");
    EXPECT_EQ(rest_after(0, 1, true), "about 1 s more for the rest: --evaluations 0\n");
    EXPECT_EQ(rest_after(0, 1), "about 1 s more for the rest\n");
    EXPECT_EQ(rest_after(2, std::nullopt), "the rest in a later tuning: --budget 0 (no limit)\n");
}

}  // namespace
}  // namespace jitune::internal
