// SPDX-License-Identifier: Apache-2.0
#include "support/thread_pool.hpp"

#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

TEST(ThreadPool, MakesEachCallOnce) {
    ThreadPool pool;
    for (const std::size_t count : {0, 1, 2, 7, 40}) {
        std::vector<std::atomic<int>> done(count);
        pool.run(count, [&](std::size_t i) { ++done[i]; });
        for (const std::atomic<int>& one : done) {
            EXPECT_EQ(one, 1);
        }
    }
}

TEST(ThreadPool, ThrowsTheExceptionOfACallWhenAllHaveReturned) {
    ThreadPool pool;
    std::atomic<int> ended = 0;
    EXPECT_THROW(pool.run(5,
                          [&](std::size_t i) {
                              ++ended;
                              if (i == 3) {
                                  throw std::runtime_error("three");
                              }
                          }),
                 std::runtime_error);
    EXPECT_EQ(ended, 5);
    pool.run(3, [&](std::size_t) { ++ended; });
    EXPECT_EQ(ended, 8);
}

TEST(ThreadPool, IsSharedByThreads) {
    ThreadPool pool;
    std::atomic<int> done = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int round = 0; round < 200; ++round) {
                pool.run(5, [&](std::size_t) { ++done; });
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(done, 4 * 200 * 5);
}

}  // namespace
}  // namespace jitune::internal
