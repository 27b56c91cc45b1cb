// SPDX-License-Identifier: Apache-2.0
#include "measure/stopping_rule.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

class Stopping : public testing::Test {
protected:
    bool enough(const std::vector<double>& samples, std::optional<double> best = {}) const {
        return rule_.enough(samples, best);
    }

    static std::vector<double> noisy(std::size_t count) {
        std::vector<double> samples;
        for (std::size_t i = 0; i < count; ++i) {
            samples.push_back(i % 2 == 0 ? 100 : 130);
        }
        return samples;
    }

    StoppingRule rule_;
};

TEST_F(Stopping, WaitsForTheFewestSamplesEvenWithoutNoise) {
    EXPECT_FALSE(enough({}));
    EXPECT_FALSE(enough(std::vector<double>(5, 100.0)));
    EXPECT_TRUE(enough(std::vector<double>(6, 100.0)));
}

TEST_F(Stopping, GoesOnWhileTheMedianIsUncertain) {
    EXPECT_FALSE(enough({100, 100, 100, 101, 101, 101.2}));
    EXPECT_TRUE(enough({100, 100, 100, 100.5, 100.5, 100.9}));
}

TEST_F(Stopping, EndsAtTheMostSamplesUnderAnyNoise) {
    EXPECT_FALSE(enough(noisy(29)));
    EXPECT_TRUE(enough(noisy(30)));
}

TEST_F(Stopping, GivesUpACandidateThatCannotWin) {
    EXPECT_FALSE(enough({200}, 100)) << "one sample may be an outlier";
    EXPECT_TRUE(enough({200, 116}, 100));
    EXPECT_FALSE(enough({200, 114}, 100)) << "its fastest is within the race";
    EXPECT_TRUE(enough({200, 114, 104}, 100)) << "which is shorter for more samples";
    EXPECT_FALSE(enough({200, 114, 102}, 100));
    EXPECT_FALSE(enough({200, 200})) << "nothing to race against";
    EXPECT_FALSE(enough({}, 100));
}

}  // namespace
}  // namespace jitune::internal
