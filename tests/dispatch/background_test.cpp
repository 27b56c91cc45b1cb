// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/background.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "fixtures/call_fixture.hpp"
#include "tuning/measure/device_lock.hpp"

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

std::atomic<int> launches_of_winner{0};

class BackgroundTest : public CallFixture {
protected:
    BackgroundTest() : CallFixture(TunePolicy::background) {
        // A lock of its own: tests run beside each other.
        device_.info_.uuid = fmt::format("test-{}", ::getpid());
        options_.worker = "none";
        options_.tune_on_busy_gpu = true;
    }
    ~BackgroundTest() override {
        std::filesystem::remove("/tmp/jitune-background-" + device_.info_.uuid + ".lock");
        std::filesystem::remove("/tmp/jitune-" + device_.info_.uuid + ".lock");
    }

    std::ptrdiff_t warnings_with(const std::string& text) {
        const std::lock_guard lock(warnings_mutex_);
        return std::count_if(warnings_.begin(), warnings_.end(), [&](const std::string& one) {
            return one.find(text) != std::string::npos;
        });
    }

    /// Half a minute, in which the thread behind the calls looks around now and then.
    void wait_for_long() {
        for (int i = 0; i < 3; ++i) {
            clock_.advance(std::chrono::seconds(10));
            let_look();
        }
    }

    void await_winners(const Engine& engine, std::int64_t replaced) {
        await([&] {
            const Counters counters = engine.counters();
            return counters.pending == 0 && counters.replaced >= replaced;
        });
    }
};

TEST_F(BackgroundTest, AnswersAtOnceAndLaterByTheWinner) {
    std::atomic<bool> may_sample{false};
    device_.before_sample = [&] { may_sample.wait(false); };
    const auto engine = this->engine();
    EXPECT_EQ(info(*engine).origin, Origin::template_default);
    call(*engine, 1000);
    EXPECT_EQ(engine->counters().pending, 1);
    EXPECT_EQ(engine->counters().replaced, 0);
    const Resolved& before = answer(*engine);
    may_sample = true;
    may_sample.notify_all();
    await_winners(*engine, 1);
    EXPECT_EQ(info(*engine).origin, Origin::tuned);
    EXPECT_EQ(info(*engine).configuration, kFastest);
    expect_right(before);
    EXPECT_EQ(info(*this->engine()).origin, Origin::stored) << "for later sessions, too";
}

TEST_F(BackgroundTest, CallsThatAThreadHasMadeBeforeTakeTheWinner) {
    const auto engine = this->engine();
    device_.on(fake_sum(128, 4)).run = [](const Launch& launch) {
        right_sum(launch);
        ++launches_of_winner;
    };
    call(*engine, 1000);
    await_winners(*engine, 1);
    const int before = launches_of_winner;
    call(*engine, 1000);
    EXPECT_EQ(launches_of_winner, before + 1);
    call(*engine, 1000);
    EXPECT_EQ(launches_of_winner, before + 2);
}

TEST_F(BackgroundTest, OtherSizesOfAReplacedAnswerAreTunedToo) {
    const auto engine = this->engine();
    call(*engine, 1000);
    await_winners(*engine, 1);
    for (const std::int64_t n : {900, 1000, 1100}) {
        call(*engine, n);
    }
    await([&] { return engine->counters().pending == 0; });
    for (const std::int64_t n : {900, 1000, 1100}) {
        EXPECT_EQ(info(*engine, n).configuration, kFastest) << n;
    }
}

TEST_F(BackgroundTest, TakesTheWinnerThatAnotherProcessTunes) {
    FileLock others(lock_folders(), "jitune-background-" + device_.info_.uuid + ".lock");
    ASSERT_TRUE(others.acquire(milliseconds(0))) << "another process tunes on this device";
    const auto engine = this->engine();
    call(*engine, 1000);
    let_look();
    EXPECT_EQ(engine->counters().pending, 1) << "it waits for its turn";
    info(*this->engine(TunePolicy::now));
    await_winners(*engine, 1);
    EXPECT_EQ(info(*engine).origin, Origin::stored);
    EXPECT_EQ(engine->counters().tunings, 0);
}

TEST_F(BackgroundTest, NoOtherUserKeepsTheHostFromBeingTuned) {
    device_.info_.platform = PlatformKind::host;
    device_.info_.id = "host";
    device_.info_.uuid = "";
    FileLock of_all_users(lock_folders(), "jitune-background-host.lock");
    of_all_users.acquire(milliseconds(0));
    const char* const before = std::getenv("XDG_RUNTIME_DIR");
    ::setenv("XDG_RUNTIME_DIR", dir_.path().c_str(), 1);  // of this user, in this test
    {
        const auto engine = this->engine();
        call(*engine, 1000);
        await_winners(*engine, 1);
    }
    before == nullptr ? ::unsetenv("XDG_RUNTIME_DIR") : ::setenv("XDG_RUNTIME_DIR", before, 1);
}

TEST_F(BackgroundTest, TakesABetterWinnerOfAnotherProcess) {
    info(*this->engine(TunePolicy::now));
    const auto engine = this->engine();
    EXPECT_EQ(info(*engine).configuration, kFastest);
    device_.on(fake_sum(32, 1)).ns = 100;
    const auto other = this->engine(TunePolicy::now);
    const Problem problem = fake_sum_problem();
    other->tuner().tune({device_, kernel_, problem}, {.budget = options_.budget});
    await_winners(*engine, 1);
    EXPECT_EQ(info(*engine).configuration, "block=32 items=1");
    EXPECT_EQ(engine->counters().tunings, 0);
}

TEST_F(BackgroundTest, KeepsTheDefaultWhereTuningFails) {
    device_.otherwise.timer_failure = LaunchFailure{.reason = "no time today"};
    device_.on(fake_sum(128, 4)) = device_.otherwise;
    const auto engine = this->engine();
    call(*engine, 1000);
    await([&] { return engine->counters().pending == 0; });
    call(*engine, 1000);
    EXPECT_EQ(info(*engine).origin, Origin::template_default);
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_NE(warnings_[0].find("no time today"), std::string::npos) << warnings_[0];
    EXPECT_NE(warnings_[0].find("no more tries"), std::string::npos) << warnings_[0];
}

TEST_F(BackgroundTest, NoHandleIsPreparedWhereNoCandidateIsRight) {
    device_.otherwise.run = [](const Launch& /*launch*/) {};
    device_.on(fake_sum(128, 4)) = device_.otherwise;
    const auto engine = this->engine();
    const std::vector<std::int32_t> ones(1000, 1);
    std::int32_t sum = 0;
    expect_error(ErrorKind::verify, "",
                 [&] { resolve_prepared(*engine, device_, SumCall(kernel_, ones, sum)); });
}

TEST_F(BackgroundTest, SurvivesAnyException) {
    device_.before_sample = [] { throw std::runtime_error("no sample today"); };
    const auto engine = this->engine();
    call(*engine, 1000);
    await([&] { return has_warned(); });
    call(*engine, 1000);
    EXPECT_EQ(engine->counters().pending, 1) << "to be tried again";
    EXPECT_NE(warnings_[0].find("no sample today; until a later try"), std::string::npos)
        << warnings_[0];
}

TEST_F(BackgroundTest, ASessionThatEndsDoesNotWaitForItsTunings) {
    std::atomic<int> samples{0};
    std::atomic<bool> may_sample{false};
    device_.before_sample = [&] {
        ++samples;
        may_sample.wait(false);
    };
    {
        const auto engine = this->engine();
        info(*engine);
        await([&] { return samples > 0; });
        const std::jthread end([&] { engine->finish(); });
        std::int64_t n = 1;
        await([&] {  // until new problems are not looked after any more
            const std::int64_t before = engine->counters().pending;
            call(*engine, n *= 2);
            return engine->counters().pending == before;
        });
        may_sample = true;
        may_sample.notify_all();
    }
    const int of_a_part = samples.exchange(0);
    EXPECT_EQ(info(*this->engine(TunePolicy::now)).origin, Origin::tuned)
        << "no winner of a tuning that was cut short is stored";
    EXPECT_LT(of_a_part, samples / 2);
}

TEST_F(BackgroundTest, WaitsForAGpuToBecomeIdle) {
    options_.tune_on_busy_gpu = false;
    device_.use = 0.5;
    const auto engine = this->engine();
    call(*engine, 1000);
    wait_for_long();
    EXPECT_EQ(engine->counters().tunings, 0);
    EXPECT_EQ(engine->counters().pending, 1);
    device_.use = 0;
    await_winners(*engine, 1);
    EXPECT_EQ(warnings_with("JITUNE_TUNE_BUSY"), 0);
}

TEST_F(BackgroundTest, LeavesTheDeviceToCallsWhileTheseLaunch) {
    options_.tune_on_busy_gpu = false;
    std::atomic<int> samples = 0;
    device_.before_sample = [&] { ++samples; };
    const auto engine = this->engine();
    device_.is_called = true;
    call(*engine, 1000);
    let_look();
    clock_.advance(std::chrono::seconds(1));  // the device has been idle for so long
    await([&] { return device_.call_looks > 10; }, milliseconds(0));
    EXPECT_EQ(samples, 0);
    clock_.advance(CallGap::kLongest);
    await([&] { return samples > 0; }, milliseconds(0));
    device_.is_called = false;
    await_winners(*engine, 1);
    EXPECT_EQ(info(*engine).configuration, kFastest);
}

TEST_F(BackgroundTest, SaysThatItCannotTellWhetherAGpuIsIdle) {
    options_.tune_on_busy_gpu = false;
    device_.use = -1;
    const auto engine = this->engine();
    call(*engine, 1000);
    await([&] { return has_warned(); });
    wait_for_long();
    EXPECT_EQ(engine->counters().tunings, 0);
    EXPECT_EQ(warnings_with("JITUNE_TUNE_BUSY=1 allows it"), 1);
}

TEST_F(BackgroundTest, KernelsThatNoWorkerCanMakeAreNotTuned) {
    kernel_.spec.clear();
    const auto engine = this->engine();
    call(*engine, 1000);
    EXPECT_EQ(engine->counters().pending, 0);
}

TEST_F(BackgroundTest, TheSessionOfAForkedChildEndsAtOnce) {
    auto engine = this->engine();
    call(*engine, 1000);
    const pid_t child = ::fork();
    if (child == 0) {
        engine.reset();
        ::_exit(0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    await_winners(*engine, 1);
}

TEST_F(BackgroundTest, AnswersStayRightWhileWinnersChange) {
    tune_before();  // so that this engine finds no winner of its own
    const auto engine = this->engine();
    call(*engine, 1000);
    std::atomic<bool> done{false};
    std::vector<std::thread> callers;
    for (int i = 0; i < 4; ++i) {
        callers.emplace_back([&] {
            while (!done) {
                call(*engine, 1000);
            }
        });
    }
    const auto other = this->engine(TunePolicy::now);
    const Task task{device_, kernel_, fake_sum_problem()};
    Winner winner = other->store()->find(task.key(), task.problem.sizes).value();
    for (const int block : {32, 64, 256, 128, 32, 64}) {
        winner.configuration = fmt::format("block={} items=1", block);
        winner.symbols = {fake_sum(block, 1)};
        winner.image = fmt::format("[{}]", winner.symbols[0]);
        other->store()->save({}, winner);
        await([&] { return info(*engine).configuration == winner.configuration; });
    }
    done = true;
    for (std::thread& caller : callers) {
        caller.join();
    }
}

}  // namespace
}  // namespace jitune::internal
