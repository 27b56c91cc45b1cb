// SPDX-License-Identifier: Apache-2.0
#include "sweep/call_estimate.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fake/fake_sum.hpp"
#include "template/problem.hpp"

namespace jitune::internal {
namespace {

RecordKey key_of(const std::string& types) {
    return {{"reduce", types, "gpu a", 4, "hash"}, 0};
}

Winner winner_of(std::int64_t n, double default_ns, double ns,
                 const std::string& types = "element=float32") {
    Winner winner;
    winner.key = key_of(types);
    winner.sizes = fmt::format("n={}", n);
    winner.default_median_ns = default_ns;
    winner.median_ns = ns;
    return winner;
}

/// The estimate for `n` elements after these winners.
class Taught {
public:
    explicit Taught(const std::vector<Winner>& winners) {
        for (const Winner& winner : winners) {
            lessons_.push_back(lesson_of(winner).value());
            all_.add(lessons_.back());
        }
    }
    [[nodiscard]] double default_ns(std::int64_t n) const { return at(n).default_ns(all_); }
    [[nodiscard]] double gain(std::int64_t n, const std::string& types = "element=float32") const {
        return std::exp(at(n, types).log_gain(all_));
    }

private:
    [[nodiscard]] CallEstimate at(std::int64_t n,
                                  const std::string& types = "element=float32") const {
        CallEstimate estimate(key_of(types), {n});
        for (const Lesson& lesson : lessons_) {
            estimate.learn(lesson);
        }
        return estimate;
    }
    std::vector<Lesson> lessons_;
    KernelLessons all_;
};

TEST(CallEstimate, ExpectsMostOfMediumSizes) {
    const Taught nothing({});
    EXPECT_NEAR(nothing.default_ns(1), 4000, 1);
    EXPECT_NEAR(nothing.default_ns(1 << 30), 2.15e6, 1e4);
    EXPECT_NEAR(nothing.gain(1 << 19), 1.28, 0.01);
    EXPECT_LT(nothing.gain(1 << 10), 1.06);
    EXPECT_LT(nothing.gain(1 << 30), 1.06);
    EXPECT_GT(nothing.gain(1 << 10), 1);
}

TEST(CallEstimate, ExpectsNothingOnTheHostWhereDataLeavesTheCaches) {
    const auto gain = [](std::int64_t n) {
        const CallEstimate estimate({{"reduce", "element=float64", "host a", 8, "hash"}, 0}, {n});
        return std::exp(estimate.log_gain({}));
    };
    EXPECT_GT(gain(1 << 13), 1.3);
    EXPECT_LT(gain(1 << 23), 1.02);
}

TEST(CallEstimate, LearnsMostFromWinnersOfNearSizes) {
    const Taught taught({winner_of(1 << 10, 8000, 4000), winner_of(1 << 26, 200'000, 200'000)});
    EXPECT_NEAR(taught.default_ns(1 << 10), 8000, 1500);
    EXPECT_NEAR(taught.default_ns(1 << 26), 200'000, 40'000);
    EXPECT_GT(taught.gain(1 << 10), 1.6);
    EXPECT_GT(taught.gain(1 << 11), 1.5);
    EXPECT_LT(taught.gain(1 << 26), 1.06);
    EXPECT_GT(taught.gain(1 << 11), taught.gain(1 << 14));
}

TEST(CallEstimate, LearnsLessFromOtherTypes) {
    const Taught taught({winner_of(1 << 20, 10'000, 3000)});
    const double same = taught.gain(1 << 20);
    const double other = taught.gain(1 << 20, "element=int32");
    EXPECT_GT(same, other);
    EXPECT_GT(other, Taught({}).gain(1 << 20, "element=int32"));
    EXPECT_DOUBLE_EQ(Taught({}).gain(1 << 18, "element=float64"), Taught({}).gain(1 << 19))
        << "as many bytes";
}

TEST(CallEstimate, TakesNoLessonFromWinnersWithoutTimesOrSizes) {
    EXPECT_FALSE(lesson_of(winner_of(1000, 0, 900)).has_value()) << "its default failed";
    Winner wrong = winner_of(1000, 1000, 900);
    wrong.sizes = "n";
    EXPECT_FALSE(lesson_of(wrong).has_value());
    CallEstimate rows({{"reduce", "", "gpu a", 4, "hash"}, 0}, {10, 1000});
    const double before = rows.log_gain({});
    rows.learn(lesson_of(winner_of(10'000, 9000, 1000)).value());
    EXPECT_EQ(rows.log_gain({}), before) << "sizes of other dimensions are nowhere near";
}

TEST(CallEstimate, ExpectsNothingOfWinnersThatGainNothing) {
    const Taught taught(std::vector<Winner>(100, winner_of(1 << 20, 10'000, 11'000)));
    EXPECT_NEAR(taught.gain(1 << 20), 1, 0.005);
}

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
