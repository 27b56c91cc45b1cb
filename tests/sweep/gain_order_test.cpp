// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "fake/fake_sum.hpp"
#include "sweep/call_estimate.hpp"
#include "template/problem.hpp"

namespace jitune::internal {
namespace {

std::vector<SweepProblem> problems(const std::vector<std::int64_t>& sizes) {
    std::vector<SweepProblem> all;
    for (const std::int64_t n : sizes) {
        all.push_back({fake_sum_problem(n), {}, "sum"});
    }
    return all;
}

TEST(GainOrder, WithoutEvidenceBeginsWhereKernelsUsuallyGainMost) {
    const auto all = problems({1 << 4, 1 << 14, 1 << 26});  // 64 KB in the middle
    EXPECT_EQ(gain_order(all, "host", {}).front(), 1U);
    EXPECT_EQ(gain_order(problems({1 << 8, 1 << 14, 1 << 19}), "cuda", {}).front(), 2U);
}

TEST(GainOrder, KeepsTheOrderOfEqualOnes) {
    EXPECT_EQ(gain_order(problems({1024, 1024, 1024}), "host", {}),
              (std::vector<std::size_t>{0, 1, 2}));
}

TEST(GainOrder, FollowsWhatStoredWinnersHaveGained) {
    const auto all = problems({1 << 4, 1 << 14, 1 << 26});
    Winner winner;
    winner.key.kernel = all[0].problem.kernel;
    winner.key.types = types_text(all[0].problem);
    winner.key.device_class = "host isa=avx2";
    winner.sizes = "n=67108864";
    winner.default_median_ns = 9'000'000;
    winner.median_ns = 1'000'000;
    EXPECT_EQ(gain_order(all, "host", {&winner, 1}).front(), 2U);
    winner.key.device_class = "cuda cc=90";
    EXPECT_EQ(gain_order(all, "host", {&winner, 1}).front(), 1U) << "of another platform";
}

}  // namespace
}  // namespace jitune::internal
