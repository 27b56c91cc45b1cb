// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_threads.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

/// Counts how often each piece is done.
struct Tally {
    explicit Tally(std::size_t count) : times(count) {}

    static void work(const void* context, unsigned long long first, unsigned long long count) {
        auto* const self = const_cast<Tally*>(static_cast<const Tally*>(context));
        for (unsigned long long i = first; i < first + count; ++i) {
            ++self->times.at(i);
        }
        const std::lock_guard lock(self->mutex);
        self->threads.insert(std::this_thread::get_id());
    }
    [[nodiscard]] bool each_once() const {
        return std::all_of(times.begin(), times.end(), [](const auto& n) { return n == 1; });
    }

    std::vector<std::atomic<int>> times;
    std::mutex mutex;
    std::set<std::thread::id> threads;
};

TEST(HostThreads, DoEachPieceOnce) {
    for (const std::size_t count : {0U, 1U, 2U, 3U, 127U, 128U, 129U, 10'000U}) {
        for (const int threads : {1, 2, 3, 8}) {
            Tally tally(count);
            HostThreads::run_here(&Tally::work, &tally, count, threads);
            EXPECT_TRUE(tally.each_once()) << count << " pieces, " << threads << " threads";
        }
    }
}

TEST(HostThreads, TakePartBesideTheCaller) {
    // Nobody goes on before two threads are there.
    struct Meeting {
        std::atomic<int> arrived{0};
    } meeting;
    const auto work = [](const void* context, unsigned long long, unsigned long long) {
        auto& arrived = const_cast<Meeting*>(static_cast<const Meeting*>(context))->arrived;
        ++arrived;
        while (arrived < 2) {
            std::this_thread::yield();
        }
    };
    HostThreads::run_here(work, &meeting, 2, 2);
    EXPECT_EQ(meeting.arrived, 2);
}

TEST(HostThreads, AreNoMoreThanACallAllows) {
    Tally many(1000);
    HostThreads::run_here(&Tally::work, &many, 1000, 8);
    for (int i = 0; i < 200; ++i) {
        Tally tally(1000);
        HostThreads::run_here(&Tally::work, &tally, 1000, 2);
        EXPECT_LE(tally.threads.size(), 2U);
    }
}

TEST(HostThreads, ServeCallsOneAfterTheOther) {
    for (int i = 0; i < 20'000; ++i) {
        Tally tally(1 + i % 7);
        HostThreads::run_here(&Tally::work, &tally, tally.times.size(), 4);
        ASSERT_TRUE(tally.each_once()) << "call " << i;
    }
}

TEST(HostThreads, LetSeveralThreadsCall) {
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller) {
        callers.emplace_back([] {
            for (int i = 0; i < 2000; ++i) {
                Tally tally(50);
                HostThreads::run_here(&Tally::work, &tally, 50, 3);
                ASSERT_TRUE(tally.each_once());
            }
        });
    }
    for (std::thread& caller : callers) {
        caller.join();
    }
}

TEST(HostThreads, WorkInAForkedChild) {
    Tally before(100);
    HostThreads::run_here(&Tally::work, &before, 100, 4);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::alarm(20);
        Tally tally(100);
        HostThreads::run_here(&Tally::work, &tally, 100, 4);
        ::_exit(tally.each_once() ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace jitune::internal
