// SPDX-License-Identifier: Apache-2.0
#include "sweep/problem_queue.hpp"

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

std::vector<std::string> keys(std::size_t count) {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < count; ++i) {
        keys.push_back(std::to_string(i));
    }
    return keys;
}

TEST(ProblemQueue, GivesEachProblemToOneDeviceOfItsClassInOrder) {
    ProblemQueue queue(keys(3), {"a", "b", "a"});
    EXPECT_EQ(queue.size(), 6U);
    EXPECT_EQ(queue.take(0), 0U);
    EXPECT_EQ(queue.take(2), 1U);
    EXPECT_EQ(queue.take(1), 0U);
    queue.finish(0);
    EXPECT_EQ(queue.take(0), 2U);
    queue.finish(0);
    queue.finish(2);
    EXPECT_EQ(queue.take(0), std::nullopt);
    EXPECT_EQ(queue.take(2), std::nullopt);
    queue.finish(1);
    EXPECT_EQ(queue.take(1), 1U);
}

TEST(ProblemQueue, ADeviceWaitsForWhatAnotherMayHandBack) {
    ProblemQueue queue(keys(1), {"a", "a"});
    EXPECT_EQ(queue.take(0), 0U);
    std::optional<std::size_t> taken;
    {
        const std::jthread other([&] { taken = queue.take(1); });
        EXPECT_TRUE(queue.hand_back(0));
    }
    EXPECT_EQ(taken, 0U);
    EXPECT_FALSE(queue.hand_back(1));  // each has tried
    EXPECT_EQ(queue.take(0), std::nullopt);
    EXPECT_EQ(queue.take(1), std::nullopt);
}

TEST(ProblemQueue, ADeviceIsNotGivenAgainWhatItHandedBack) {
    ProblemQueue queue(keys(3), {"a", "a"});
    EXPECT_EQ(queue.take(0), 0U);
    EXPECT_TRUE(queue.hand_back(0));
    EXPECT_EQ(queue.take(0), 1U);
    EXPECT_TRUE(queue.hand_back(0));
    EXPECT_EQ(queue.take(0), 2U);
    EXPECT_TRUE(queue.hand_back(0));
    EXPECT_EQ(queue.take(0), std::nullopt);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(queue.take(1).has_value());
        queue.finish(1);
    }
    EXPECT_EQ(queue.take(1), std::nullopt);
}

TEST(ProblemQueue, NoOtherClassTakesWhatIsHandedBack) {
    ProblemQueue queue(keys(1), {"a", "b"});
    EXPECT_EQ(queue.take(0), 0U);
    EXPECT_FALSE(queue.hand_back(0));
}

TEST(ProblemQueue, ProblemsOfOneWinnerComeOneAfterTheOther) {
    ProblemQueue queue({"x", "x", "y"}, {"a", "a", "b"});
    EXPECT_EQ(queue.take(0), 0U);
    EXPECT_EQ(queue.take(1), 2U);
    EXPECT_EQ(queue.take(2), 0U);  // its class has winners of its own
    queue.finish(1);
    std::optional<std::size_t> taken;
    {
        const std::jthread other([&] { taken = queue.take(1); });
        queue.finish(0);
    }
    EXPECT_EQ(taken, 1U);
}

TEST(ProblemQueue, ClosingItWakesWhoWaits) {
    ProblemQueue queue(keys(2), {"a", "a"});
    EXPECT_EQ(queue.take(0), 0U);
    EXPECT_EQ(queue.take(1), 1U);
    queue.finish(1);
    std::optional<std::size_t> taken = 7;
    {
        const std::jthread other([&] { taken = queue.take(1); });
        queue.close();
    }
    EXPECT_EQ(taken, std::nullopt);
}

TEST(ProblemQueue, GivesTheProblemsOfALaterOrder) {
    ProblemQueue queue(keys(5), {"a", "a", "b"});
    queue.replace(0, {3, 1});
    EXPECT_EQ(queue.take(0), 3U);
    EXPECT_EQ(queue.take(1), 1U);
    queue.replace(1, {4, 3, 1, 0});  // of which two are taken
    queue.finish(0);
    EXPECT_EQ(queue.take(0), 4U);
    queue.replace(0, {3, 2, 1});  // of which one is done
    queue.finish(0);
    EXPECT_EQ(queue.take(0), 2U);
    queue.finish(1);
    queue.finish(0);
    EXPECT_EQ(queue.take(0), std::nullopt) << "problem 0 is in no order any more";
    EXPECT_EQ(queue.take(2), 0U) << "the other class keeps its order";
}

TEST(ProblemQueue, KnowsInALaterOrderWhoHasHandedAProblemBack) {
    ProblemQueue queue(keys(2), {"a", "a"});
    EXPECT_EQ(queue.take(0), 0U);
    EXPECT_TRUE(queue.hand_back(0));
    queue.replace(0, {0, 1});
    EXPECT_EQ(queue.take(0), 1U) << "it has tried the other one";
    EXPECT_EQ(queue.take(1), 0U);
    EXPECT_FALSE(queue.hand_back(1));
    queue.finish(1);  // as a sweep does for a problem that no device could work on
    queue.replace(0, {0});
    queue.finish(0);
    EXPECT_EQ(queue.take(0), std::nullopt) << "each has tried";
}

}  // namespace
}  // namespace jitune::internal
