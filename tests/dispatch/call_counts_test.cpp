// SPDX-License-Identifier: Apache-2.0
#include "dispatch/observe/call_counts.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

TEST(CallCounts, CountsEachAnswerAndEachSizeByItself) {
    const Resolved a, b;
    CallCounts counts;
    counts.of(a, Sizes{1, 2}) += 1;
    counts.of(a, Sizes{2, 1}) += 2;
    counts.of(b, Sizes{1, 2}) += 4;
    counts.of(a, Sizes{1, 2}) += 8;
    std::int64_t sum = 0;
    for (const CallCounts::Count* count : counts.all()) {
        if (count->answer == &a && count->sizes == Sizes{1, 2}) {
            EXPECT_EQ(count->calls, 9);
        }
        sum += count->calls;
    }
    EXPECT_EQ(counts.all().size(), 3U);
    EXPECT_EQ(sum, 15);
    EXPECT_EQ(a.calls, 0);
}

TEST(CallCounts, TellsSizesOfOneHashApart) {
    const Resolved a;
    CallCounts counts;
    EXPECT_NE(&counts.of(a, Sizes{1, 32}), &counts.of(a, Sizes{2, 1}));  // 31 + 32 = 62 + 1
}

TEST(CallCounts, CountsInTheAnswerWhereItIsFull) {
    const Resolved a;
    CallCounts counts;
    for (std::size_t i = 0; i <= CallCounts::kMost; ++i) {
        counts.of(a, Sizes{static_cast<std::int64_t>(i)}) += 1;
    }
    EXPECT_EQ(counts.all().size(), CallCounts::kMost);
    EXPECT_EQ(a.calls, 1);
}

TEST(CallCounts, LosesNoCallOfManyThreads) {
    const Resolved a;
    CallCounts counts;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (std::int64_t n = 0; n < 500; ++n) {
                counts.of(a, Sizes{n}) += 1;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(counts.all().size(), 500U);
    for (const CallCounts::Count* count : counts.all()) {
        EXPECT_EQ(count->calls, 4);
    }
}

}  // namespace
}  // namespace jitune::internal
