// SPDX-License-Identifier: Apache-2.0
#include "tuning/tuner.hpp"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "fixtures/expect_error.hpp"
#include "fixtures/tuner_fixture.hpp"
#include "strategy/strategy.hpp"
#include "tuning/search/evaluation.hpp"

namespace jitune::internal {
namespace {

TEST_F(TunerTest, ChoosesTheFastest) {
    on(128, 4).ns = 400;
    on(256, 1).ns = 600;
    const TuneReport report = tune();
    EXPECT_EQ(report.winner.configuration, "block=128 items=4");
    EXPECT_EQ(report.winner.median_ns, 400);
    EXPECT_EQ(report.winner.default_median_ns, 1000);
    EXPECT_EQ(report.winner.sizes, "n=1000");
    EXPECT_TRUE(report.winner.complete);
    EXPECT_EQ(report.winner.provenance.compiler, "fake compiler 1");
    EXPECT_EQ(report.winner.provenance.device_name, "Fake");
    EXPECT_EQ(report.winner.provenance.created_at.size(), 20U);
}

struct RestObserver : TuneObserver {
    void rests() override { ++count; }
    int count = 0;
};

TEST_F(TunerTest, ARestBetweenCandidatesIsNoPartOfTheBudget) {
    on(256, 4).ns = 400;
    plan_.strategy = "exhaustive";
    plan_.budget = std::chrono::seconds(1);
    RestObserver observer;
    hooks_.observer = &observer;
    int looks = 0;
    hooks_.has_turn = [&] {
        if (++looks == 3) {
            clock_.advance(plan_.budget);
        }
        return looks != 2;
    };
    const TuneReport report = tune();
    EXPECT_EQ(observer.count, 1);
    EXPECT_EQ(report.progress.evaluated, kSpace);
    EXPECT_EQ(report.winner.configuration, "block=256 items=4");
}

TEST_F(TunerTest, NothingIsTimedUntilItHasATurn) {
    bool has_turn = true;
    int without_turn = 0;
    device_.before_sample = [&] { without_turn += has_turn ? 0 : 1; };
    int looks = 0;
    hooks_.has_turn = [&] { return has_turn = ++looks % 2 == 0; };
    EXPECT_EQ(tune().progress.evaluated, kSpace);
    EXPECT_GT(looks, 2 * static_cast<int>(kSpace));
    EXPECT_EQ(without_turn, 0);
}

TEST_F(TunerTest, SuspectsLeaveHalfOfTheBudgetToTheOthers) {
    on(256, 4).ns = 400;
    plan_.strategy = "exhaustive";
    for (const char* block : {"32", "64", "128"}) {
        for (const char* items : {"1", "2", "4"}) {
            plan_.suspects.push_back(fmt::format("block={} items={}", block, items));
        }
    }
    plan_.budget = std::chrono::seconds(200);
    device_.before_compile = [&](std::span<const Instance> instances) {
        const bool is_suspect =
            instances.front().expressions.front().find("256") == std::string::npos;
        clock_.advance(std::chrono::seconds(is_suspect ? 25 : 0));
    };
    const TuneReport report = tune();
    EXPECT_EQ(report.winner.configuration, "block=256 items=4");
    EXPECT_FALSE(report.winner.complete) << "some suspects are left";
    EXPECT_EQ(report.progress.evaluated, 4U + 3U) << "four suspects take half of the budget";
}

TEST_F(TunerTest, TriesHintsBeforeTheStrategyIsAsked) {
    on(32, 4).ns = 400;
    plan_.strategy = "exhaustive";
    plan_.hints = {"block=256 items=4", "block=7 items=1",  "no configuration",
                   "block=256 items=4", "block=64 items=2", "items=4 block=32"};
    plan_.max_evaluations = 3;
    const TuneReport report = tune();
    std::vector<std::string> tried;
    for (const Measurement& one : report.measurements) {
        if (!is_of_finals(one)) {
            tried.push_back(one.configuration);
        }
    }
    ASSERT_EQ(tried.size(), 3U);
    EXPECT_EQ(tried.front(), "block=64 items=2");
    EXPECT_EQ((std::set<std::string>{tried[1], tried[2]}),
              (std::set<std::string>{"block=256 items=4", "block=32 items=4"}))
        << "in whatever order compilers are done with them";
    EXPECT_EQ(report.winner.configuration, "block=32 items=4");
}

TEST_F(TunerTest, HintsAreTriedWithinTheBudget) {
    plan_.hints = {"block=256 items=4", "block=32 items=4"};
    plan_.max_evaluations = 2;
    EXPECT_EQ(tune().progress.evaluated, 2U);
}

TEST_F(TunerTest, ChecksFinalistsThatAnEarlierSearchTimed) {
    on(32, 1) = {.ns = 1, .run = wrong_sum};
    Measurement lie;
    lie.configuration = "block=32 items=1";
    lie.samples_ns = {1};
    plan_.history = {lie};
    const TuneReport report = tune();
    EXPECT_NE(report.winner.configuration, lie.configuration);
    EXPECT_EQ(of(report, lie.configuration).verdict, Verdict::wrong_result);
    EXPECT_GT(report.progress.best_ns, 1) << "the time of a candidate that is wrong";
}

TEST_F(TunerTest, IgnoresHistoryThatDoesNotParse) {
    Measurement strange;
    strange.configuration = "damaged";
    strange.samples_ns = {1};
    plan_.history = {strange};
    EXPECT_EQ(tune().progress.evaluated, kSpace);
}

TEST_F(TunerTest, FindsTheSameWithEachStrategy) {
    on(32, 4).ns = 400;
    for (const StrategyEntry& strategy : strategies()) {
        plan_.strategy = strategy.name;
        EXPECT_EQ(tune().winner.configuration, "block=32 items=4") << strategy.name;
    }
}

TEST_F(TunerTest, NeverChoosesAWrongResultHoweverFast) {
    on(32, 1) = {.ns = 1, .run = wrong_sum};
    on(32, 2) = {.ns = 2, .run = sum_that_writes_behind};
    on(32, 4) = {.ns = 3, .run = sum_that_leaves_a_ticket};
    on(128, 1).ns = 500;
    const TuneReport report = tune();
    EXPECT_EQ(report.winner.configuration, "block=128 items=1");
    EXPECT_EQ(report.progress.failed, 3U);
    for (const auto& [configuration, reason] : {
             std::pair{"block=32 items=1", "got 2, expected 1"},
             std::pair{"block=32 items=2", "wrote behind the end of its output"},
             std::pair{"block=32 items=4", "left its zeroed work memory not zero"},
         }) {
        EXPECT_EQ(of(report, configuration).verdict, Verdict::wrong_result);
        EXPECT_NE(of(report, configuration).reason.find(reason), std::string::npos)
            << of(report, configuration).reason;
        EXPECT_TRUE(of(report, configuration).samples_ns.empty());
    }
}

TEST_F(TunerTest, ChecksTheProblemItselfToo) {
    on(32, 1) = {.ns = 1, .run = [](const Launch& launch) {
                     launch.cells[1] == 1000 ? wrong_sum(launch) : right_sum(launch);
                 }};
    const TuneReport report = tune();
    EXPECT_EQ(of(report, "block=32 items=1").verdict, Verdict::wrong_result);
    EXPECT_EQ(of(report, "block=32 items=1").reason.find("n=1000: got"), 0U);
}

TEST_F(TunerTest, ChargesDirtyWorkMemoryToTheCandidateThatLeftIt) {
    // Right only where the work memory is zero, as real kernels are.
    device_.kernel = [](const Launch& launch) {
        const bool clean = *reinterpret_cast<const std::uint32_t*>(launch.cells[2]) == 0;
        clean ? right_sum(launch) : wrong_sum(launch);
    };
    for (const std::uint64_t n : {1, 1027, 1000}) {  // fails in one case, dirty in it
        on(32, 1).run = [n](const Launch& launch) {
            right_sum(launch);
            if (launch.cells[1] == n) {
                sum_that_leaves_a_ticket(launch);
                wrong_sum(launch);
            }
        };
        plan_.strategy = "exhaustive";
        const TuneReport report = tune();
        EXPECT_EQ(report.progress.failed, 1U) << n;
        EXPECT_EQ(of(report, "block=32 items=1").verdict, Verdict::wrong_result);
    }
}

TEST_F(TunerTest, KeepsTheDefaultWhenAllAreEqual) {
    EXPECT_EQ(tune().winner.configuration, kFakeDefault);
}

TEST_F(TunerTest, RecordsEachVerdictWithItsReason) {
    on(32, 1).compile_log = "line 3: no such thing";
    on(32, 2).load_error = "cuModuleLoadData: out of registers";
    on(32, 4).run_failure = LaunchFailure{false, false, "too many resources"};
    on(128, 1).run_failure = LaunchFailure{true, false, "no end within 20 s"};
    on(128, 2).timer_failure = LaunchFailure{false, false, "graph launch failed"};
    on(128, 4).ns = 0;
    const TuneReport report = tune();
    EXPECT_EQ(report.progress.evaluated, kSpace);
    EXPECT_EQ(report.progress.failed, 6U);
    struct Expectation {
        const char* configuration;
        Verdict verdict;
        const char* reason;
    };
    for (const auto& [configuration, verdict, reason] : {
             Expectation{"block=32 items=1", Verdict::compile_failed, "line 3: no such thing"},
             {"block=32 items=2", Verdict::launch_failed, "cuModuleLoadData: out of registers"},
             {"block=32 items=4", Verdict::launch_failed, "too many resources"},
             {"block=128 items=1", Verdict::timed_out, "no end within 20 s"},
             {"block=128 items=2", Verdict::launch_failed, "graph launch failed"},
             {"block=128 items=4", Verdict::launch_failed, "measured a time of 0 ns"},
         }) {
        EXPECT_EQ(of(report, configuration).verdict, verdict) << configuration;
        EXPECT_NE(of(report, configuration).reason.find(reason), std::string::npos)
            << of(report, configuration).reason;
    }
    EXPECT_EQ(of(report, kFakeDefault).verdict, Verdict::timed);
}

TEST_F(TunerTest, WorksWithoutItsDefault) {
    on(64, 2).compile_log = "no";
    on(32, 1).ns = 800;
    const TuneReport report = tune();
    EXPECT_EQ(report.winner.configuration, "block=32 items=1");
    EXPECT_EQ(report.winner.default_median_ns, 0);
}

TEST_F(TunerTest, RefusesACandidateWithoutAFiniteTime) {
    on(64, 2).ns = 0;  // the one that sets how samples are taken
    on(32, 1).ns = 800;
    EXPECT_EQ(tune().winner.configuration, "block=32 items=1");
}

TEST_F(TunerTest, EndsWhenTheDeviceIsLost) {
    on(32, 1).run_failure = LaunchFailure{false, true, "illegal address"};
    expect_error(ErrorKind::device, "block=32 items=1 took the device down: n=1: illegal address",
                 [&] { tune(); });
    on(32, 1) = {.timer_failure = LaunchFailure{false, true, "illegal address"}};
    expect_error(ErrorKind::device, "took the device down", [&] { tune(); });
}

TEST_F(TunerTest, EndsWhenTheDeviceIsLostInTheFinals) {
    int samples = 0;
    int lost_at = 0;
    device_.lost_in_sample = [&] { return ++samples == lost_at; };
    tune();
    lost_at = std::exchange(samples, 0);
    expect_error(ErrorKind::device, "took the device down", [&] { tune(); });
}

TEST_F(TunerTest, CountsTheVerdictsWhenNothingWorks) {
    device_.otherwise.run = wrong_sum;
    on(32, 1).compile_log = "no";
    on(32, 2).run_failure = LaunchFailure{false, false, "too much"};
    expect_error(ErrorKind::verify,
                 "tuning sum.cu on cuda:0: no configuration works (1 compile_failed, 1 "
                 "launch_failed, 10 wrong_result). For example block=64 items=2: n=1: got 2",
                 [&] { tune(); });
}

TEST_F(TunerTest, IsACompileErrorWhenNothingCanBeLoaded) {
    device_.otherwise.load_error = "cuModuleLoadData: invalid image";
    on(32, 1).compile_log = "no";
    expect_error(ErrorKind::compile, "invalid image", [&] { tune(); });
}

TEST(ThrowNoWinner, SaysThatNothingWasTried) {
    FakeDevice device;
    const Kernel kernel = fake_sum_kernel();
    const Task task{device, kernel, fake_sum_problem()};
    expect_error(ErrorKind::unavailable, "before a candidate was tried; try again",
                 [&] { throw_no_winner(task, {}); });
}

TEST_F(TunerTest, IsACompileErrorWhenNothingCompiles) {
    device_.otherwise.compile_log = "line 1: garbage";
    expect_error(ErrorKind::compile, "12 compile_failed", [&] { tune(); });
    expect_error(ErrorKind::compile, "line 1: garbage", [&] { tune(); });
}

TEST_F(TunerTest, IsUnavailableWithoutACompilerOrMemory) {
    device_.before_compile = [](auto) { throw Error(ErrorKind::unavailable, "no compiler"); };
    expect_error(ErrorKind::unavailable, "no compiler", [&] { tune(); });
    device_.before_compile = nullptr;
    device_.memory_limit = 2000;
    expect_error(ErrorKind::unavailable, "none left", [&] { tune(); });
}

TEST_F(TunerTest, TimesWithLessMemoryWhereLittleIsLeft) {
    device_.memory_limit = 62'000;  // the checks, work memory and a few copies of the data
    on(32, 4).ns = 400;
    const TuneReport report = tune();
    EXPECT_EQ(report.winner.configuration, "block=32 items=4");
    EXPECT_TRUE(of(report, kFakeDefault).conditions.ends_with("flush=1 clocks=unknown"))
        << of(report, kFakeDefault).conditions;
}

TEST_F(TunerTest, TimesOnWarmDataIfTheTemplateAsksForIt) {
    kernel_ = fake_sum_kernel("cache = \"warm\"\n");
    const TuneReport report = tune();
    const std::string& conditions = of(report, kFakeDefault).conditions;
    EXPECT_TRUE(conditions.starts_with("l2=warm")) << conditions;
    EXPECT_TRUE(conditions.ends_with("slices=1 flush=0 clocks=unknown")) << conditions;
}

TEST_F(TunerTest, FreesAllMemory) {
    tune();
    EXPECT_EQ(device_.live_bytes(), 0U);
    on(32, 1).run_failure = LaunchFailure{false, true, "illegal address"};
    EXPECT_THROW(tune(), Error);
    EXPECT_EQ(device_.live_bytes(), 0U);
}

TEST_F(TunerTest, StopsAtTheEvaluationLimit) {
    plan_.max_evaluations = 4;
    const TuneReport report = tune();
    EXPECT_EQ(report.progress.evaluated, 4U);
    EXPECT_FALSE(report.winner.complete);
    EXPECT_EQ(report.measurements.size() - interleaved(report), 4U);
}

TEST_F(TunerTest, StopsOnRequest) {
    std::atomic<bool> stop{false};
    hooks_.stop = &stop;
    hooks_.progress = [&](const TuneProgress& progress) { stop = progress.evaluated == 3; };
    const TuneReport report = tune();
    EXPECT_EQ(report.progress.evaluated, 3U);
    EXPECT_FALSE(report.winner.complete);
}

TEST_F(TunerTest, ReportsProgressAfterEachConfiguration) {
    on(32, 1).compile_log = "no";
    on(256, 4).ns = 10;
    std::vector<TuneProgress> seen;
    hooks_.progress = [&](const TuneProgress& progress) { seen.push_back(progress); };
    tune();
    ASSERT_EQ(seen.size(), kSpace);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        EXPECT_EQ(seen[i].evaluated, i + 1);
        EXPECT_EQ(seen[i].space, kSpace);
    }
    EXPECT_EQ(seen.front().best_ns, 1000);
    EXPECT_EQ(seen.back().best_ns, 10);
    EXPECT_EQ(seen.back().failed, 1U);
}

TEST_F(TunerTest, MeasuresEachConfigurationAndTheFinalistsAgain) {
    on(64, 2).ns = 1100;
    const TuneReport report = tune();
    EXPECT_EQ(interleaved(report), 9U);  // the fastest eight and the default
    std::set<std::string> configurations;
    for (const Measurement& one : report.measurements) {
        configurations.insert(one.configuration);
        EXPECT_EQ(one.key, report.winner.key);
        EXPECT_EQ(one.sizes, "n=1000");
        EXPECT_EQ(one.verdict, Verdict::timed);
        EXPECT_FALSE(one.samples_ns.empty());
        EXPECT_EQ(one.conditions.find("l2=cold by=loop chain="), 0U);
    }
    EXPECT_EQ(configurations.size(), kSpace);
    EXPECT_EQ(report.measurements.size(), kSpace + interleaved(report));
}

TEST_F(TunerTest, SpendsFewSamplesOnTheSlow) {
    on(32, 1) = {.ns = 5000, .noise = 0.05};
    on(64, 2).noise = 0.05;
    const TuneReport report = tune();
    EXPECT_LT(of(report, "block=32 items=1").samples_ns.size(), 6U);
    EXPECT_GE(of(report, kFakeDefault).samples_ns.size(), 6U);
}

TEST_F(TunerTest, CompilesTheWinnerAlone) {
    on(128, 4).ns = 400;
    const TuneReport report = tune();
    EXPECT_EQ(report.winner.image_format, "cubin");
    EXPECT_EQ(report.winner.image, "[fake::sum<128, 4>]");
    EXPECT_EQ(report.winner.symbols, std::vector<std::string>{"fake::sum<128, 4>"});
    EXPECT_LE(device_.compiles(), static_cast<int>(kSpace) + 1)
        << "equal where it was alone before";
}

TEST_F(TunerTest, RefusesAProblemTheTemplateDoesNotHave) {
    problem_.sizes = {0};
    expect_error(ErrorKind::usage, "each at least 1", [&] { tune(); });
    EXPECT_EQ(device_.compiles(), 0);
    problem_ = fake_sum_problem();
    plan_.strategy = "clever";
    expect_error(ErrorKind::usage, "clever", [&] { tune(); });
}

}  // namespace
}  // namespace jitune::internal
