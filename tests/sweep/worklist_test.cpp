// SPDX-License-Identifier: Apache-2.0
#include "sweep/work_order.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

/// With a bucket of its own for each size, unless it is named.
CallRecord miss_of(const std::string& kernel, std::int64_t n, std::int64_t calls,
                   std::optional<std::int64_t> named = std::nullopt) {
    const std::int64_t bucket = named.value_or(n);
    CallRecord miss;
    miss.key = {{kernel, "element=float32", "cuda", 4, "hash"}, bucket};
    miss.sizes = fmt::format("n={}", n);
    miss.calls = calls;
    miss.sessions = 1;
    return miss;
}

Winner winner_of(const std::string& kernel, std::int64_t n, double default_ns, double ns) {
    Winner winner;
    winner.key = {{kernel, "element=int32", "cuda", 4, "hash"}, 0};
    winner.sizes = fmt::format("n={}", n);
    winner.default_median_ns = default_ns;
    winner.median_ns = ns;
    return winner;
}

std::vector<std::string> order(const std::vector<WorkItem>& items) {
    std::vector<std::string> sizes;
    for (const WorkItem& item : items) {
        sizes.push_back(item.misses.front().sizes);
    }
    return sizes;
}

TEST(Worklist, BeginsWithWhatTuningSavesMostTimeOf) {
    const auto items = worklist({miss_of("a", 1000, 10), miss_of("a", 1'000'000'000, 1),
                                 miss_of("a", 1'000'000, 10'000), miss_of("a", 3000, 20)},
                                {});
    EXPECT_EQ(order(items),
              (std::vector<std::string>{"n=1000000", "n=1000000000", "n=3000", "n=1000"}));
    for (const WorkItem& item : items) {
        EXPECT_GT(item.saved_s, 0);
        EXPECT_LT(item.saved_s, static_cast<double>(item.calls()) * item.call_ns * 1e-9);
        EXPECT_GT(item.tune_s, 0.5);
    }
}

TEST(Worklist, MarksProblemsThatHaveAProvisionalWinner) {
    Winner provisional = winner_of("a", 2000, 5000, 4000);
    provisional.key = miss_of("a", 2000, 1).key;
    provisional.certainty.conditions = "cpu=contended";
    Winner unsure = provisional;
    unsure.sizes = "n=1000";
    unsure.range.unsure = true;
    for (const WorkItem& item : worklist({miss_of("a", 1000, 10), miss_of("a", 2000, 10)},
                                         std::vector{provisional, unsure})) {
        EXPECT_EQ(item.is_provisional, item.misses.front().sizes == "n=2000");
    }
}

TEST(Worklist, LearnsFromTheWinnersOfTheKernel) {
    const std::vector<Winner> winners{winner_of("a", 1000, 50'000, 50'000),
                                      winner_of("b", 1000, 5000, 1000)};
    EXPECT_NEAR(worklist({miss_of("a", 1000, 1)}, winners).front().call_ns, 50'000, 25'000);
    const auto items = worklist({miss_of("a", 1000, 100), miss_of("b", 1000, 50)}, winners);
    EXPECT_EQ(items.front().misses.front().key.kernel, "b") << "gains five times, and a nothing";
}

TEST(Worklist, TunesSizesOfOneKeyTogether) {
    const auto items = worklist({miss_of("a", 1000, 10, 20), miss_of("a", 1001, 30, 20),
                                 miss_of("a", 1002, 20, 20), miss_of("a", 2000, 50, 22)},
                                {});
    ASSERT_EQ(items.size(), 2U);
    EXPECT_EQ(order(items), (std::vector<std::string>{"n=1001", "n=2000"}));
    EXPECT_EQ(items[0].misses.size(), 3U);
    EXPECT_EQ(items[0].misses[2].sizes, "n=1000");
    EXPECT_EQ(items[0].calls(), 60);
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    EXPECT_GT(worklist({miss_of("a", 1, kMost, 0), miss_of("a", 2, kMost, 0)}, {})[0].calls(), 0);
}

TEST(Worklist, LeavesMalformedSizesOut) {
    CallRecord wrong = miss_of("a", 1, 1);
    wrong.sizes = "n";
    EXPECT_TRUE(worklist({wrong}, {}).empty());
}

}  // namespace
}  // namespace jitune::internal
