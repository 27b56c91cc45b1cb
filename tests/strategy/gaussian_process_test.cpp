// SPDX-License-Identifier: Apache-2.0
#include "strategy/gaussian_process.hpp"

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

/// One parameter, 8 to 256 in steps of 8.
SearchSpace space_of_sizes() {
    std::vector<Value> sizes;
    for (std::int64_t size = 8; size <= 256; size += 8) {
        sizes.emplace_back(size);
    }
    return SearchSpace({{"size", sizes, 0}}, {});
}

struct Observations {
    std::vector<GaussianProcess::Point> points;
    std::vector<double> targets;
};

double predicted(const GaussianProcess& model, std::size_t index) {
    GaussianProcess::Query query{model.point(index), {}, 0};
    return model.predict(query).mean;
}

TEST(GaussianProcess, PredictsWhatItHasSeen) {
    const SearchSpace space = space_of_sizes();
    GaussianProcess model(space);
    std::mt19937_64 random(1);
    model.fit({model.point(3), model.point(20), model.point(30)}, std::vector{1.0, 5.0, 2.0},
              random);
    EXPECT_NEAR(predicted(model, 3), 1, 0.1);
    EXPECT_NEAR(predicted(model, 20), 5, 0.1);
    model.add(model.point(10));
    model.set_targets(std::vector{1.0, 5.0, 2.0, 9.0});
    EXPECT_NEAR(predicted(model, 10), 9, 0.1);
}

TEST(GaussianProcess, LearnsThatSizesOfOneAlignmentAreAlike) {
    // Multiples of 32 are fast. Half of the sizes are seen, 32 and 160 are not.
    const SearchSpace space = space_of_sizes();
    GaussianProcess model(space);
    Observations seen;
    for (std::size_t index = 0; index < space.size(); ++index) {
        const std::size_t size = 8 * (index + 1);
        if (index % 2 == 0 || size % 64 == 0) {
            seen.points.push_back(model.point(index));
            seen.targets.push_back(size % 32 == 0 ? 0 : 1);
        }
    }
    seen.points.push_back(model.point(96 / 8 - 1));
    seen.targets.push_back(0);
    std::mt19937_64 random(1);
    for (int i = 0; i < 5; ++i) {
        model.fit(seen.points, seen.targets, random);
    }
    EXPECT_LT(predicted(model, 160 / 8 - 1), 0.5);
    EXPECT_LT(predicted(model, 224 / 8 - 1), 0.5);
    EXPECT_GT(predicted(model, 152 / 8 - 1), 0.8);
    EXPECT_GT(predicted(model, 168 / 8 - 1), 0.8);
}

TEST(GaussianProcess, LearnsThatPowersOfTwoAreAlike) {
    // Powers of two are fast. All sizes are seen but 64, and the sizes around 64 are slow.
    const SearchSpace space = space_of_sizes();
    GaussianProcess model(space);
    Observations seen;
    for (std::size_t index = 0; index < space.size(); ++index) {
        const std::size_t size = 8 * (index + 1);
        if (size != 64) {
            seen.points.push_back(model.point(index));
            seen.targets.push_back(std::has_single_bit(size) ? 0 : 1);
        }
    }
    std::mt19937_64 random(1);
    for (int i = 0; i < 5; ++i) {
        model.fit(seen.points, seen.targets, random);
    }
    EXPECT_LT(predicted(model, 64 / 8 - 1), 0.2);
}

TEST(GaussianProcess, LearnsHowMuchTimesScatter) {
    // The target rises with the size's logarithm; half of them are above, half below.
    constexpr double kScatter = 0.3;
    const SearchSpace space = space_of_sizes();
    GaussianProcess model(space);
    const auto trend = [](std::size_t index) { return std::log2(8.0 * double(index + 1)); };
    Observations seen;
    for (std::size_t index = 0; index < space.size(); ++index) {
        seen.points.push_back(model.point(index));
        seen.targets.push_back(trend(index) +
                               (std::popcount(index) % 2 == 0 ? kScatter : -kScatter));
    }
    std::mt19937_64 random(1);
    for (int i = 0; i < 5; ++i) {
        model.fit(seen.points, seen.targets, random);
    }
    double apart = 0;
    for (std::size_t index = 0; index < space.size(); ++index) {
        apart += std::abs(predicted(model, index) - trend(index));
    }
    EXPECT_LT(apart / double(space.size()), kScatter / 2);
}

TEST(GaussianProcess, TakesZeroAndNegativeSizes) {
    const SearchSpace space({{"offset", {-6, -3, 0, 5, 12}, 0}}, {});
    GaussianProcess model(space);
    std::mt19937_64 random(1);
    model.fit({model.point(0), model.point(2), model.point(4)}, std::vector{1.0, 2.0, 3.0}, random);
    EXPECT_NEAR(predicted(model, 0), 1, 0.05);
    EXPECT_NEAR(predicted(model, 4), 3, 0.05);
}

}  // namespace
}  // namespace jitune::internal
