// SPDX-License-Identifier: Apache-2.0
#include "measure/final_rule.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "measure/statistics.hpp"
#include "measure/stopping_rule.hpp"

namespace jitune::internal {
namespace {

using Lanes = std::vector<FinalRule::Samples>;

Lanes constant(const std::vector<double>& times, std::size_t rounds) {
    Lanes lanes;
    for (const double ns : times) {
        lanes.emplace_back(rounds, ns);
    }
    return lanes;
}

TEST(FinalRule, TheFastestWins) {
    EXPECT_EQ(FinalRule{}.winner(constant({3, 1, 2}, 8), std::nullopt), 1U);
    EXPECT_EQ(FinalRule{}.winner(constant({3, 1, 2}, 8), 0), 1U);
    EXPECT_EQ(FinalRule{}.winner(constant({3}, 1), std::nullopt), 0U);
}

TEST(FinalRule, TheStandingOneWinsATie) {
    EXPECT_EQ(FinalRule{}.winner(constant({1, 1, 1}, 8), 2), 2U);
    Lanes lanes = constant({1, 1.001}, 10);
    lanes[0][3] = 1.1;
    lanes[0][6] = 1.05;
    EXPECT_EQ(FinalRule{}.winner(lanes, 1), 1U);
    EXPECT_EQ(FinalRule{}.winner(lanes, std::nullopt), 0U);
}

TEST(FinalRule, TheStandingOneWinsWhereThereAreTooFewRoundsToTell) {
    EXPECT_EQ(FinalRule{}.winner(constant({1, 2}, 7), 1), 1U);
}

TEST(FinalRule, EndsWithTheFewestRoundsWhereItIsClear) {
    EXPECT_FALSE(FinalRule{}.enough(constant({1, 2}, 7)));
    EXPECT_TRUE(FinalRule{}.enough(constant({1, 2}, 8)));
    EXPECT_TRUE(FinalRule{}.enough(constant({1, 1}, 8)));
}

TEST(FinalRule, GoesOnWhereItIsNotButNotForEver) {
    Lanes lanes = constant({1, 1}, 0);
    std::mt19937 random(1);
    std::normal_distribution<double> noise(1, 0.05);
    std::size_t rounds = 0;
    while (lanes[0].empty() || !FinalRule{}.enough(lanes)) {
        ASSERT_LT(++rounds, 1000U);
        for (auto& lane : lanes) {
            lane.push_back(noise(random));
        }
    }
    EXPECT_EQ(rounds, static_cast<std::size_t>(FinalRule{}.max_rounds));
}

/// A device whose times drift by some percent, that now and then is disturbed for a while, and
/// whose samples have a long tail upwards, as recorded ones do.
class NoisyDevice {
public:
    explicit NoisyDevice(unsigned seed) : random_(seed) {}

    double sample(double ns) {
        ++samples_;
        walk_ = 0.999 * walk_ + 0.0005 * normal_(random_);
        if (uniform_(random_) < 0.001) {
            disturbed_ = 10;
        }
        const double disturbance = disturbed_-- > 0 ? 1.1 : 1;
        const double tail = uniform_(random_) < 0.04 ? 1 + 0.2 * uniform_(random_) : 1;
        const double drift = 1 + walk_ + 0.02 * std::sin(samples_ / 500.0);
        return ns * drift * disturbance * tail * std::exp(0.004 * normal_(random_));
    }

private:
    std::mt19937 random_;
    std::normal_distribution<double> normal_{0, 1};
    std::uniform_real_distribution<double> uniform_{0, 1};
    double samples_ = 0;
    double walk_ = 0;
    int disturbed_ = 0;
};

/// The time of the winner of one sweep over candidates that take `times`, the first of which is the
/// default: each is timed by itself, the fastest eight and the default again, interleaved.
double sweep(const std::vector<double>& times, unsigned seed) {
    NoisyDevice device(seed);
    std::mt19937 random(seed);
    std::vector<std::size_t> order(times.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin() + 1, order.end(), random);
    std::optional<double> best;
    std::vector<std::pair<double, std::size_t>> medians;
    for (const std::size_t candidate : order) {
        std::vector<double> samples;
        while (!StoppingRule{}.enough(samples, best)) {
            samples.push_back(device.sample(times[candidate]));
        }
        medians.emplace_back(summarize(samples).median_ns, candidate);
        best = std::min(best.value_or(medians.back().first), medians.back().first);
    }
    std::sort(medians.begin(), medians.end());
    std::vector<std::size_t> finalists{0};
    for (std::size_t i = 0; i < medians.size() && finalists.size() < 9; ++i) {
        if (medians[i].second != 0) {
            finalists.push_back(medians[i].second);
        }
    }
    const FinalRule rule;
    Lanes lanes(finalists.size());
    do {
        for (std::size_t i = 0; i < finalists.size(); ++i) {
            lanes[i].push_back(device.sample(times[finalists[i]]));
        }
    } while (!rule.enough(lanes));
    return times[finalists[rule.winner(lanes, 0)]];
}

/// `count` candidates that lie ever more densely towards the best, which takes 1000 ns, after a
/// default.
std::vector<double> candidates(double default_ns, int count) {
    std::vector<double> times{default_ns};
    for (int i = 0; i < count; ++i) {
        const double x = static_cast<double>(i) / count;
        times.push_back(1000 * (1 + 3 * x * x));
    }
    return times;
}

TEST(FinalRule, NineOfTenSweepsFindAWinnerWithinOnePercentOfTheBest) {
    for (const double default_ns : {1004.0, 1015.0, 1100.0, 2000.0}) {
        for (unsigned set = 0; set < 5; ++set) {
            int good = 0;
            for (unsigned i = 0; i < 10; ++i) {
                good += sweep(candidates(default_ns, 300), 10 * set + i) <= 1010 ? 1 : 0;
            }
            EXPECT_GE(good, 9) << "set " << set << " default " << default_ns;
        }
    }
}

TEST(FinalRule, NoSweepReplacesADefaultThatIsTheBest) {
    std::vector<double> times = candidates(1000, 300);
    for (std::size_t i = 1; i < times.size(); ++i) {
        times[i] *= 1.003;
    }
    for (unsigned seed = 0; seed < 50; ++seed) {
        EXPECT_EQ(sweep(times, seed), 1000) << seed;
    }
}

}  // namespace
}  // namespace jitune::internal
