// SPDX-License-Identifier: Apache-2.0
#include "tuning/search/compile_ahead.hpp"

#include <time.h>

#include <atomic>
#include <thread>

#include <map>

#include "fake/fake_sum.hpp"
#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

class CompileAheadTest : public testing::Test {
protected:
    std::vector<CompileAhead::Wanted> wanted(std::size_t first, std::size_t last) {
        std::vector<CompileAhead::Wanted> result;
        for (std::size_t i = first; i < last; ++i) {
            result.push_back({i, space_.at(i)});
        }
        return result;
    }

    /// Everything that is pending, by its index.
    static std::map<std::size_t, CompileOutcome> take_all(CompileAhead& ahead) {
        std::map<std::size_t, CompileOutcome> result;
        while (ahead.pending() > 0) {
            CompiledCandidate candidate = ahead.next();
            EXPECT_TRUE(result.emplace(candidate.index, std::move(candidate.outcome)).second);
        }
        return result;
    }

    FakeDevice device_;
    Kernel kernel_ = fake_sum_kernel();
    Task task_{device_, kernel_, fake_sum_problem()};
    SearchSpace space_ = task_.space();
    BinaryCache binaries_;
};

TEST_F(CompileAheadTest, ReturnsEachSubmittedCandidateOnceWithItsOwnCode) {
    CompileAhead ahead(task_, binaries_);
    EXPECT_GE(ahead.depth(), 1U);
    ahead.submit(wanted(0, 5));
    ahead.submit(wanted(5, space_.size()));
    EXPECT_EQ(ahead.pending(), space_.size());
    const auto outcomes = take_all(ahead);
    ASSERT_EQ(outcomes.size(), space_.size());
    for (const auto& [index, outcome] : outcomes) {
        EXPECT_EQ(std::get<Binary>(outcome).symbols, task_.instance(space_.at(index)).expressions);
    }
    EXPECT_EQ(device_.compiles(), static_cast<int>(space_.size()));
}

TEST_F(CompileAheadTest, CompilesEqualCodeOnceWhetherUnderWayOrDone) {
    CompileAhead ahead(task_, binaries_);
    ahead.submit({{100, space_.at(3)}, {101, space_.at(3)}});
    ahead.submit({{102, space_.at(3)}});
    EXPECT_EQ(take_all(ahead).size(), 3U);
    ahead.submit({{103, space_.at(3)}});
    EXPECT_EQ(take_all(ahead).size(), 1U);
    EXPECT_EQ(device_.compiles(), 1);
}

TEST_F(CompileAheadTest, ReusesInstancesOfAnEarlierTuning) {
    {
        CompileAhead ahead(task_, binaries_);
        ahead.submit(wanted(0, space_.size()));
        take_all(ahead);
    }
    const Task larger{device_, kernel_, fake_sum_problem(5000)};
    CompileAhead ahead(larger, binaries_);
    ahead.submit(wanted(0, space_.size()));
    EXPECT_EQ(take_all(ahead).size(), space_.size());
    EXPECT_EQ(device_.compiles(), static_cast<int>(space_.size()));
}

TEST_F(CompileAheadTest, DeliversCompileFailures) {
    device_.on(fake_sum(32, 1)).compile_log = "line 3: no";
    CompileAhead ahead(task_, binaries_);
    ahead.submit(wanted(0, space_.size()));
    const auto outcomes = take_all(ahead);
    EXPECT_EQ(std::get<CompileFailure>(outcomes.at(0)).log, "line 3: no");
    for (std::size_t i = 1; i < space_.size(); ++i) {
        EXPECT_TRUE(std::holds_alternative<Binary>(outcomes.at(i)));
    }
}

TEST_F(CompileAheadTest, PassesOnErrorsOfTheCompiler) {
    device_.before_compile = [](auto) { throw Error(ErrorKind::unavailable, "no compiler"); };
    CompileAhead ahead(task_, binaries_);
    ahead.submit(wanted(0, space_.size()));
    for (int i = 0; i < 3; ++i) {
        expect_error(ErrorKind::unavailable, "no compiler", [&] { ahead.next(); });
    }
    ahead.submit(wanted(0, 1));
    expect_error(ErrorKind::unavailable, "no compiler", [&] { ahead.next(); });
}

TEST_F(CompileAheadTest, UsesTheGivenNumberOfThreads) {
    std::atomic<int> now{0}, most{0};
    device_.before_compile = [&](auto) {
        most = std::max(most.load(), ++now);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --now;
    };
    CompileAhead ahead(task_, binaries_, 1);
    ahead.submit(wanted(0, space_.size()));
    EXPECT_EQ(take_all(ahead).size(), space_.size());
    EXPECT_EQ(most, 1);
}

TEST_F(CompileAheadTest, PausesUntilTheCallerHasToWait) {
    std::atomic<int> begun{0};
    device_.before_compile = [&](auto instances) {
        begun += static_cast<int>(instances.size());
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    CompileAhead ahead(task_, binaries_, 2);
    ahead.submit(wanted(0, space_.size()));
    std::size_t taken = 0;
    for (; ahead.pending() > 0; ++taken) {
        ahead.next();
        ahead.pause();
        const int before = device_.compiles();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        EXPECT_EQ(begun, before);
    }
    EXPECT_EQ(taken, space_.size());
}

TEST_F(CompileAheadTest, DeliversWhatIsUnderWayAndDropsWhatWaits) {
    std::atomic<bool> may_end{false};
    std::atomic<int> begun{0};
    device_.before_compile = [&](auto instances) {
        begun += static_cast<int>(instances.size());
        while (!may_end) {
            std::this_thread::yield();
        }
    };
    CompileAhead ahead(task_, binaries_, 2);
    ahead.submit(wanted(0, space_.size()));
    while (begun < 4) {  // two programs of at least two
        std::this_thread::yield();
    }
    std::thread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));  // until that one waits
        may_end = true;
    });
    int taken = 0;
    ahead.drop_waiting();
    while (ahead.has_late()) {
        taken += ahead.next_within(std::chrono::seconds(1)) ? 1 : 0;
    }
    later.join();
    EXPECT_EQ(taken, begun);
    EXPECT_LT(begun, static_cast<int>(space_.size()));
    EXPECT_EQ(ahead.pending(), 0U);
}

TEST_F(CompileAheadTest, DeliversAProgramWithoutWaitingForAnother) {
    const Kernel kernel = fake_sum_kernel("options = [\"-DBLOCK={block}\"]\n");
    const Task task{device_, kernel, fake_sum_problem()};
    const SearchSpace space = task.space();
    std::atomic<int> programs{0};
    std::atomic<bool> may_end{false};
    device_.before_compile = [&](auto) {
        ++programs;
        while (programs > 2 && !may_end) {
            std::this_thread::yield();
        }
    };
    CompileAhead ahead(task, binaries_, 1);
    std::vector<CompileAhead::Wanted> all;
    for (std::size_t i = 0; i < space.size(); ++i) {
        all.push_back({i, space.at(i)});
    }
    ahead.submit(std::move(all));
    for (std::size_t i = 0; i < space.size() / 2; ++i) {  // two programs
        ahead.next();
    }
    may_end = true;
    EXPECT_EQ(take_all(ahead).size(), space.size() / 2);
    EXPECT_EQ(programs, 4);  // one for each value of block
}

TEST_F(CompileAheadTest, PutsFewSlowInstancesIntoAProgram) {
    std::vector<std::size_t> sizes;
    device_.before_compile = [&](auto instances) {
        sizes.push_back(instances.size());
        timespec begin{}, now{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
        const auto milliseconds = [](const timespec& time) {
            return 1000 * time.tv_sec + time.tv_nsec / 1'000'000;
        };
        do {
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        } while (milliseconds(now) - milliseconds(begin) <
                 60 * static_cast<long>(instances.size()));
    };
    CompileAhead ahead(task_, binaries_, 1);
    ahead.submit(wanted(0, space_.size()));
    EXPECT_EQ(take_all(ahead).size(), space_.size());
    ASSERT_GT(sizes.size(), 2U);
    EXPECT_GT(sizes.front(), 1U);
    for (std::size_t i = 1; i < sizes.size(); ++i) {
        EXPECT_EQ(sizes[i], 1U) << i;
    }
}

TEST_F(CompileAheadTest, PutsSlowInstancesIntoAProgramOfAProcessUntilItIsWorthIt) {
    std::vector<std::size_t> sizes;
    BinaryCache binaries(
        [&](Device& device, const TemplateSource& source, auto instances, CompileCall& call) {
            call.in_own_process = true;
            call.processor_time = std::chrono::milliseconds(28 + 60 * instances.size());
            sizes.push_back(instances.size());
            return device.compile(source, instances);
        });
    CompileAhead ahead(task_, binaries, 1);
    ahead.submit(wanted(0, space_.size()));
    EXPECT_EQ(take_all(ahead).size(), space_.size());
    EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 2, 2, 2, 2, 1}));
}

TEST_F(CompileAheadTest, LetsNobodyWaitForWhatAStopOfTheSessionEnds) {
    BinaryCache binaries([](auto&, const auto&, auto, auto&) -> std::vector<CompileOutcome> {
        throw CompileStopped();
    });
    CompileAhead ahead(task_, binaries, 1);
    ahead.submit(wanted(0, 1));
    EXPECT_THROW(ahead.take(0), CompileStopped);
}

TEST_F(CompileAheadTest, IsAskedNoFurtherAheadThanThereAreResults) {
    const CompileAhead ahead(task_, binaries_, 3);
    EXPECT_EQ(ahead.depth_after(0), 6U) << "two for each thread";
    EXPECT_EQ(ahead.depth_after(20), 20U);
    EXPECT_EQ(ahead.depth_after(1'000'000), ahead.depth_after(2'000'000));
    EXPECT_LE(ahead.depth_after(1'000'000), ahead.depth());
}

TEST_F(CompileAheadTest, WaitsNoLongerThanTheCallerWants) {
    std::atomic<bool> may_end{false};
    device_.before_compile = [&](auto) {
        while (!may_end) {
            std::this_thread::yield();
        }
    };
    CompileAhead ahead(task_, binaries_, 1);
    ahead.submit(wanted(0, 1));
    EXPECT_FALSE(ahead.next_within(std::chrono::milliseconds(1)));
    EXPECT_EQ(ahead.pending(), 1U);
    may_end = true;
    EXPECT_EQ(ahead.next().index, 0U);
}

TEST_F(CompileAheadTest, KeepsWhatIsCompiledWhereALateCompileThrows) {
    std::atomic<bool> may_throw{false};
    device_.before_compile = [&](auto) {
        while (!may_throw) {
            std::this_thread::yield();
        }
        throw Error(ErrorKind::unavailable, "no compiler");
    };
    CompileAhead ahead(task_, binaries_, 1);
    ahead.submit(wanted(0, 1));
    while (!ahead.has_late()) {
        std::this_thread::yield();
    }
    ahead.drop_waiting();
    ASSERT_TRUE(ahead.has_late());
    may_throw = true;
    EXPECT_FALSE(ahead.next_within(std::chrono::seconds(10)));
    EXPECT_FALSE(ahead.has_late());
}

TEST_F(CompileAheadTest, StopsTheCompilesUnderWayAtItsEnd) {
    std::atomic<int> begun{0}, stopped{0};
    BinaryCache binaries(
        [&](auto&, const auto&, auto, CompileCall& call) -> std::vector<CompileOutcome> {
            ++begun;
            while (!call.stop.stop_requested()) {
                std::this_thread::yield();
            }
            ++stopped;
            throw CompileStopped();
        });
    class Observer : public TuneObserver {
    public:
        void compiling(std::uint64_t, std::span<const std::string>) override { ++under_way; }
        void compiled(std::uint64_t) override { --under_way; }
        std::atomic<int> under_way{0};
    } observer;
    {
        CompileAhead ahead(task_, binaries, 2, observer);
        ahead.submit(wanted(0, space_.size()));
        while (begun < 2) {
            std::this_thread::yield();
        }
    }
    EXPECT_EQ(stopped, 2);
    EXPECT_EQ(observer.under_way, 0) << "a crash later would be charged to them";
}

TEST_F(CompileAheadTest, DividesTheCoresAmongTunings) {
    EXPECT_LE(2 * CompileAhead::threads_for(2),
              std::max<std::size_t>(2, std::thread::hardware_concurrency()));
    EXPECT_EQ(CompileAhead::threads_for(1'000'000), 1U);
}

TEST_F(CompileAheadTest, CanBeDestroyedWithWorkPending) {
    for (int i = 0; i < 50; ++i) {
        BinaryCache binaries;
        CompileAhead ahead(task_, binaries);
        ahead.submit(wanted(0, space_.size()));
        if (i % 2 == 0) {
            ahead.next();
        }
    }
    for (int i = 0; i < 50; ++i) {
        const CompileAhead unused(task_, binaries_);
    }
}

}  // namespace
}  // namespace jitune::internal
