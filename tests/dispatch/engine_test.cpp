// SPDX-License-Identifier: Apache-2.0
#include "dispatch/engine.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>
#include <thread>

#include "fixtures/engine_fixture.hpp"

namespace jitune::internal {
namespace {

class EngineTest : public EngineFixture {
protected:
    /// Whether a stored winner serves n, as far as the thread that tunes lets the database be read.
    bool serves(Engine& engine, std::int64_t n) {
        const Task task{device_, kernel_, fake_sum_problem(n)};
        try {
            return engine.store()->find(task.key(), task.problem.sizes).has_value();
        } catch (const Error&) {
            return false;
        }
    }
};

TEST_F(EngineTest, TunesOnAMissAndStoresTheWinner) {
    const auto engine = make_engine();
    const Resolved& resolved = resolve(*engine);
    EXPECT_EQ(resolved.info.origin, Origin::tuned);
    EXPECT_EQ(resolved.info.configuration, kFastest);
    EXPECT_EQ(resolved.info.device, "cuda:0");
    EXPECT_EQ(resolved.info.device_name, "Fake");
    expect_right(resolved);
    EXPECT_EQ(engine->counters().tunings, 1);
    EXPECT_EQ(engine->counters().compiles, device_.compiles());
    EXPECT_EQ(engine->store()->winners().size(), 1U);
    EXPECT_EQ(engine->store()->winners()[0].configuration, kFastest);
    EXPECT_GE(engine->store()->measurements().of(engine->store()->winners()[0].key).size(), 12U);
}

TEST_F(EngineTest, RefusesCallsOfItsLogSink) {
    std::mutex mutex;
    Engine* called = nullptr;
    std::string refusal;
    options_.log_level = LogLevel::info;
    options_.log_sink = [&](LogLevel, std::string_view) {
        const std::lock_guard lock(mutex);
        if (called != nullptr && refusal.empty()) {
            try {
                resolve(*called);
            } catch (const Error& error) {
                refusal = error.what();
            }
        }
    };
    const auto engine = make_engine();
    {
        const std::lock_guard lock(mutex);
        called = engine.get();
    }
    EXPECT_EQ(resolve(*engine).info.origin, Origin::tuned);
    EXPECT_NE(refusal.find("Options::log_sink called jitune"), std::string::npos) << refusal;
}

TEST_F(EngineTest, AnswersASecondTimeFromMemory) {
    const auto engine = make_engine();
    const Resolved& first = resolve(*engine);
    EXPECT_EQ(&resolve(*engine), &first);
    EXPECT_EQ(engine->table().find(fake_sum_key(device_, kernel_, fake_sum_problem()),
                                   fake_sum_problem().sizes),
              &first);
    EXPECT_EQ(engine->counters().tunings, 1);
}

TEST_F(EngineTest, AnswersFromTheStoreWithoutCompiling) {
    tune_before();
    const int compiles = device_.compiles();
    const auto engine = make_engine();
    const Resolved& resolved = resolve(*engine, 1001);
    EXPECT_EQ(resolved.info.origin, Origin::stored);
    EXPECT_EQ(resolved.info.configuration, kFastest);
    expect_right(resolved, 1001);
    EXPECT_EQ(device_.compiles(), compiles);
    EXPECT_EQ(engine->counters().compiles, 0);
    EXPECT_EQ(engine->counters().tunings, 0);
    EXPECT_EQ(engine->counters().loads, 1);
}

TEST_F(EngineTest, KeepsWinnersInMemoryWithoutADatabase) {
    options_.database.clear();
    const auto engine = make_engine();
    EXPECT_EQ(info(*engine).origin, Origin::tuned);
    EXPECT_EQ(engine->store()->status().journal_mode, "memory");
    EXPECT_TRUE(std::filesystem::is_empty(dir_.path()));
    EXPECT_EQ(info(*make_engine()).origin, Origin::tuned);
}

TEST_F(EngineTest, ACallReturnsAfterItsBudgetAndTakesTheWinnerLater) {
    std::atomic<bool> may_sample{false};
    device_.before_sample = [&] {
        clock_.advance(may_sample ? std::chrono::seconds(0) : 2 * options_.budget);
        may_sample.wait(false);
    };
    options_.worker = "none";  // a tuning that begins after the call has one
    const auto engine = make_engine();
    const Resolved& first = resolve(*engine);
    EXPECT_EQ(first.info.origin, Origin::template_default);
    expect_right(first);
    EXPECT_EQ(engine->counters().pending, 1);
    EXPECT_EQ(&resolve(*engine), &first) << "later calls do not wait again";
    may_sample = true;
    may_sample.notify_all();
    await([&] { return engine->counters().pending == 0; });
    EXPECT_EQ(info(*engine).origin, Origin::tuned);
    EXPECT_EQ(engine->counters().replaced, 1);
}

TEST_F(EngineTest, TheBestSoFarAnswersWhereTheTimeIsOver) {
    std::atomic<bool> may_end{false};
    device_.before_sample = [&] {
        if (device_.loads() > 12 && !may_end) {  // the space: the finals load again
            clock_.advance(2 * options_.budget);
            may_end.wait(false);
        }
    };
    const auto engine = make_engine();
    const Resolved& first = resolve(*engine);
    EXPECT_EQ(first.info.origin, Origin::tuned);
    EXPECT_EQ(first.info.configuration, kFastest);
    EXPECT_TRUE(first.is_provisional);
    expect_right(first);
    EXPECT_TRUE(engine->store()->winners().empty()) << "it is not proven yet";
    EXPECT_EQ(engine->counters().pending, 1);
    may_end = true;
    may_end.notify_all();
    await([&] { return engine->counters().pending == 0; });
    EXPECT_FALSE(resolve(*engine).is_provisional);
    EXPECT_EQ(engine->counters().replaced, 1);
}

TEST_F(EngineTest, TheDefaultAnswersWhereNothingIsClearlyFasterYet) {
    std::atomic<bool> may_end{false};
    device_.on(fake_sum(128, 4)).ns = 990;
    device_.before_sample = [&] {
        if (device_.loads() > 12 && !may_end) {
            clock_.advance(2 * options_.budget);
            may_end.wait(false);
        }
    };
    const auto engine = make_engine();
    EXPECT_EQ(info(*engine).origin, Origin::template_default);
    may_end = true;
    may_end.notify_all();
    await([&] { return engine->counters().pending == 0; });
}

TEST_F(EngineTest, TheSizesAroundComeAfterTheAnswerAndWhenTheyAreCalled) {
    const auto engine = make_engine();
    EXPECT_EQ(info(*engine).origin, Origin::tuned);
    ASSERT_EQ(engine->store()->winners().size(), 1U);
    EXPECT_EQ(engine->store()->winners()[0].sizes, "n=1000");
    EXPECT_EQ(engine->store()->winners()[0].range.covers, "") << "these sizes alone so far";
    EXPECT_EQ(info(*engine, 1001).origin, Origin::tuned);
    EXPECT_EQ(info(*engine, 1001).configuration, kFastest);
    EXPECT_EQ(engine->counters().tunings, 1) << "a comparison was enough";
}

TEST_F(EngineTest, TheSizesAroundComeByThemselvesOnAnIdleDevice) {
    options_.worker = "none";
    const auto engine = make_engine();
    resolve(*engine);
    await([&] { return serves(*engine, 1001); });
    EXPECT_EQ(engine->counters().tunings, 1);
}

TEST_F(EngineTest, NothingIsMeasuredAfterTheAnswerWhileTheDeviceWorks) {
    options_.worker = "none";
    device_.use = 0.5;
    std::atomic<int> samples{0};
    device_.before_sample = [&] { ++samples; };
    {
        const auto engine = make_engine();
        resolve(*engine);
        const int before = samples;
        // The thread behind the calls has looked at the device, and has let it be.
        await([&] { return device_.looks > 2; });
        EXPECT_EQ(samples, before);
        EXPECT_EQ(engine->store()->winners().at(0).range.covers, "");
    }
    options_.tune_on_busy_gpu = true;
    const auto engine = make_engine();
    resolve(*engine, 50'000);
    // At the machine's pace: with sanitizers a range would outlast its budget on a faster clock.
    await([&] { return serves(*engine, 50'001); }, std::chrono::milliseconds(10));
}

TEST_F(EngineTest, AWinnerWithinTheBudgetReplacesNothing) {
    const auto engine = make_engine();
    EXPECT_EQ(info(*engine).origin, Origin::tuned);
    EXPECT_EQ(info(*engine, 5000).origin, Origin::tuned);
    EXPECT_EQ(info(*engine).origin, Origin::tuned) << "no answer for other sizes is lost";
    EXPECT_EQ(engine->counters().replaced, 0);
    EXPECT_EQ(engine->counters().pending, 0);
    EXPECT_EQ(engine->counters().compiles, device_.compiles());
}

TEST_F(EngineTest, AnswersWithTheNearestWinner) {
    tune_before(1000);
    const int compiles = device_.compiles();
    options_.on_miss = TunePolicy::offline;
    const auto engine = make_engine();
    const Resolved& resolved = resolve(*engine, 1'900);
    EXPECT_EQ(resolved.info.origin, Origin::nearest);
    EXPECT_EQ(resolved.info.configuration, kFastest);
    expect_right(resolved, 1'900);
    EXPECT_EQ(device_.compiles(), compiles);
    EXPECT_EQ(engine->counters().tunings, 0);
}

TEST_F(EngineTest, TheNearestWinnerDoesNotAnswerFarAway) {
    tune_before(1000);
    for (const TunePolicy policy : {TunePolicy::offline, TunePolicy::background}) {
        options_.on_miss = policy;
        const auto engine = make_engine();
        EXPECT_EQ(info(*engine, 64'000).origin, Origin::template_default);
        EXPECT_EQ(info(*engine, 16).origin, Origin::template_default);
    }
}

TEST_F(EngineTest, AnswersWithTheDefaultWhereThereIsNoNearestWinner) {
    options_.on_miss = TunePolicy::offline;
    const auto engine = make_engine();
    EXPECT_EQ(info(*engine).origin, Origin::template_default);
    EXPECT_EQ(info(*engine).configuration, kFakeDefault);
    EXPECT_TRUE(engine->store()->winners().empty());
}

TEST_F(EngineTest, AnswersWithTheDefaultAndCompilesItOnce) {
    options_.on_miss = TunePolicy::template_default;
    const auto engine = make_engine();
    for (const std::int64_t n : {1, 100, 10'000}) {
        const Resolved& resolved = resolve(*engine, n);
        EXPECT_EQ(resolved.info.origin, Origin::template_default);
        EXPECT_EQ(resolved.info.configuration, kFakeDefault);
        expect_right(resolved, n);
    }
    EXPECT_EQ(device_.compiles(), 1);
    EXPECT_TRUE(engine->store()->winners().empty());
}

TEST_F(EngineTest, PrefersAStoredWinnerUnderEveryPolicy) {
    tune_before();
    for (const TunePolicy policy :
         {TunePolicy::now, TunePolicy::offline, TunePolicy::template_default}) {
        options_.on_miss = policy;
        EXPECT_EQ(info(*make_engine()).origin, Origin::stored);
    }
}

TEST_F(EngineTest, NeverAnswersWithAConfigurationThatItFoundWrong) {
    device_.otherwise.run = wrong_sum;
    device_.on(fake_sum(128, 4)).run = wrong_sum;
    const auto engine = make_engine();
    expect_error(ErrorKind::verify, "no configuration works", [&] { resolve(*engine); });
    expect_error(ErrorKind::verify, "no configuration works", [&] { resolve(*engine); });
}

TEST_F(EngineTest, CountsATuningOnlyOnceItHasAWinner) {
    options_.worker = dir_.path() / "no-such-command";
    kernel_.spec = {"fake"};
    const auto engine = make_engine();
    EXPECT_EQ(info(*engine).origin, Origin::template_default);
    EXPECT_EQ(engine->counters().tunings, 0);
}

TEST_F(EngineTest, CompilesTheDefaultAgainAfterAFailure) {
    device_.otherwise.compile_log = "out of memory";
    device_.on(fake_sum(128, 4)).compile_log = "out of memory";
    const auto engine = make_engine();
    expect_error(ErrorKind::compile, "out of memory", [&] { resolve(*engine); });
    device_.otherwise.compile_log.clear();
    EXPECT_EQ(info(*engine).origin, Origin::template_default);
    expect_right(resolve(*engine));
}

TEST_F(EngineTest, ReportsADefaultThatDoesNotCompile) {
    device_.otherwise.compile_log = "line 1: garbage";
    device_.on(fake_sum(128, 4)).compile_log = "line 1: garbage";
    const auto engine = make_engine();
    expect_error(ErrorKind::compile, "line 1: garbage", [&] { resolve(*engine); });
    expect_error(ErrorKind::compile, "cannot compile sum.cu as block=64 items=2",
                 [&] { resolve(*engine); });
}

TEST_F(EngineTest, DoesNotHideALostDevice) {
    device_.otherwise.run_failure = LaunchFailure{false, true, "illegal address"};
    const auto engine = make_engine();
    expect_error(ErrorKind::device, "illegal address", [&] { resolve(*engine); });
}

TEST_F(EngineTest, ManyThreadsAtFirstTouchTuneOnce) {
    const auto engine = make_engine();
    std::vector<const Resolved*> answers(64);
    std::vector<std::thread> threads;
    for (const Resolved*& answer : answers) {
        threads.emplace_back([&] { answer = &resolve(*engine); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(answers, std::vector<const Resolved*>(64, answers[0]));
    EXPECT_EQ(engine->counters().tunings, 1);
    EXPECT_GE(device_.compiles(), 12) << "the space";
    EXPECT_LE(device_.compiles(), 14) << "and two that are compared, unless they were alone before";
}

TEST_F(EngineTest, ManyThreadsTuneDifferentProblemsAtOnce) {
    const auto engine = make_engine();
    std::vector<std::thread> threads;
    for (int t = 0; t < 16; ++t) {
        threads.emplace_back([&, t] { resolve(*engine, std::int64_t{1} << (t % 8)); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(engine->counters().tunings, 8);
    EXPECT_EQ(engine->store()->winners().size(), 8U);
}

TEST_F(EngineTest, RefusesToWorkInAForkedChild) {
    const auto engine = make_engine();
    resolve(*engine);
    const pid_t child = fork();
    if (child == 0) {
        int refused = 0;
        const auto expect_forked = [&](const std::function<void()>& call) {
            try {
                call();
            } catch (const Error& error) {
                refused += error.kind() == ErrorKind::forked ? 1 : 0;
            }
        };
        expect_forked([&] { resolve(*engine); });
        expect_forked([&] { engine->device("cuda"); });
        expect_forked([&] { static_cast<void>(engine->devices()); });
        expect_forked([&] { engine->tuner().tune({device_, kernel_, fake_sum_problem()}, {}); });
        _exit(refused);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 4);
    EXPECT_NO_THROW(resolve(*engine));
}

TEST_F(EngineTest, RefusesOptionsThatMakeNoSense) {
    options_.strategy = "clever";
    expect_error(ErrorKind::usage, "unknown strategy \"clever\": use one of auto",
                 [&] { make_engine(); });
    options_.strategy = "random";
    options_.budget = std::chrono::milliseconds(-1);
    expect_error(ErrorKind::usage, "budget is -1 ms: give 0 to", [&] { make_engine(); });
}

}  // namespace
}  // namespace jitune::internal
