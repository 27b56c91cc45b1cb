// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_threads.hpp"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
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

/// Spins for long enough that a thread with a core of its own takes part.
void spin(const void* /*context*/, unsigned long long /*first*/, unsigned long long /*count*/) {
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::microseconds(20)) {
    }
}

TEST(HostThreads, MissNobodyWhereAllTakePart) {
    struct Meeting {
        std::atomic<int> arrived{0};
    };
    const auto meet = [](const void* context, unsigned long long, unsigned long long) {
        auto& arrived = const_cast<Meeting*>(static_cast<const Meeting*>(context))->arrived;
        ++arrived;
        while (arrived < 2) {
            std::this_thread::yield();
        }
    };
    const auto before = HostThreads::of_process().missed();
    for (int i = 0; i < 10; ++i) {
        Meeting meeting;  // of other work than the last, for which all are woken
        HostThreads::run_here(meet, &meeting, 2 + i % 2, 2);
    }
    EXPECT_EQ(HostThreads::of_process().missed(), before);
}

/// The pool's thread gets what the caller leaves of the only core.
void run_beside_an_idle_thread() {
    HostThreads& threads = *new HostThreads;
    const cpu_set_t one_core = [] {
        cpu_set_t all;
        CPU_ZERO(&all);
        ::sched_getaffinity(0, sizeof all, &all);
        cpu_set_t one;
        CPU_ZERO(&one);
        for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i) {
            if (CPU_ISSET(i, &all)) {
                CPU_SET(i, &one);
            }
        }
        return one;
    }();
    const sched_param none{};
    const bool is_set_up = ::sched_setaffinity(0, sizeof one_core, &one_core) == 0 &&
                           ::sched_setscheduler(0, SCHED_IDLE, &none) == 0;
    threads.run(&spin, nullptr, 2, 2);  // its thread gets this thread's core and class
    if (!is_set_up || ::sched_setscheduler(0, SCHED_OTHER, &none) != 0) {
        GTEST_SKIP() << "the system refuses to set the class of a thread";
    }
    for (int i = 0; i < 100 && threads.missed().count() == 0; ++i) {
        threads.run(&spin, nullptr, 64, 2);
    }
    EXPECT_GT(threads.missed().count(), 0);
}

TEST(HostThreads, MissAThreadThatGetsNoCore) {
    std::thread(&run_beside_an_idle_thread).join();  // keeps this thread's cores
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
