// SPDX-License-Identifier: Apache-2.0
#include "dispatch/work_thread.hpp"

#include <atomic>
#include <semaphore>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

void refuse(const std::system_error& error) {
    FAIL() << error.what();
}

TEST(WorkThread, StartsWithTheFirstNewsAndWorksAfterEach) {
    std::counting_semaphore<> worked(0);
    WorkThread thread(
        {},
        [&] {
            worked.release();
            return hours(1);
        },
        refuse);
    EXPECT_FALSE(thread.is_started());
    for (int news = 0; news < 3; ++news) {
        EXPECT_TRUE(thread.wake());
        worked.acquire();
    }
    EXPECT_TRUE(thread.is_started());
}

TEST(WorkThread, WorksAgainWhenItHasSleptForTheTimeThatTheWorkReturned) {
    std::counting_semaphore<> worked(0);
    WorkThread thread(
        {},
        [&] {
            worked.release();
            return milliseconds(0);
        },
        refuse);
    thread.wake();
    for (int i = 0; i < 3; ++i) {
        worked.acquire();
    }
}

TEST(WorkThread, StopsWhileItSleepsAndWhileNewsSettle) {
    std::atomic<int> works{0};
    WorkThread thread(
        {.settle = hours(1)},
        [&] {
            ++works;
            return hours(1);
        },
        refuse);
    thread.wake();
    thread.stop();
    EXPECT_EQ(works, 0) << "the news had not settled";
    EXPECT_FALSE(thread.wake());
    EXPECT_FALSE(thread.is_started());
}

TEST(WorkThread, KnowsItself) {
    std::binary_semaphore worked(0);
    std::atomic<bool> is_own{false};
    WorkThread* self = nullptr;
    WorkThread thread(
        {},
        [&] {
            is_own = self->is_own();
            worked.release();
            return hours(1);
        },
        refuse);
    self = &thread;
    thread.wake();
    worked.acquire();
    EXPECT_TRUE(is_own);
    EXPECT_FALSE(thread.is_own());
}

}  // namespace
}  // namespace jitune::internal
