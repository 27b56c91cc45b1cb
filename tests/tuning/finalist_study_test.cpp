// SPDX-License-Identifier: Apache-2.0
#include "tuning/finals/finalist_study.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "fake/fake_clock.hpp"
#include "fake/fake_sum.hpp"
#include "fixtures/expect_error.hpp"
#include "tuning/measure/energy_meter.hpp"
#include "tuning/search/compile_ahead.hpp"

namespace jitune::internal {
namespace {

using Time = EnergyTrace::Time;

Time at(int milliseconds) {
    return Time(std::chrono::milliseconds(milliseconds));
}

TEST(EnergyTraceTest, IsThePowerFromOneMoveOfTheCounterToAnother) {
    EnergyTrace trace(at(100), std::chrono::milliseconds(1000));
    trace.add(at(0), 5);
    trace.add(at(50), 6);    // before the trace begins
    trace.add(at(110), 6);   // has not moved
    trace.add(at(200), 10);  // begins
    trace.add(at(900), 200);
    trace.add(at(1150), 200);
    EXPECT_FALSE(trace.power_w());
    EXPECT_EQ(trace.still(), std::chrono::milliseconds(250));
    trace.add(at(1200), 260);  // ends
    ASSERT_TRUE(trace.power_w());
    EXPECT_DOUBLE_EQ(*trace.power_w(), 250);
    trace.add(at(1300), 900);
    EXPECT_DOUBLE_EQ(*trace.power_w(), 250);
}

/// The device uses 250 W; the counter shows it every 5 ms. A reading takes half of that by the
/// clock, and a sample hardly any time.
class FinalistStudyTest : public testing::Test {
protected:
    FinalistStudyTest() {
        device_.kernel = right_sum;
        device_.energy = [this] {
            clock_.advance(std::chrono::microseconds(2500));
            return std::optional(1000 + 1.25 * std::floor(clock_.seconds_since(begin_) / 0.005));
        };
        plan_.energy = true;
        plan_.warm_up = std::chrono::milliseconds(5);
        plan_.window = std::chrono::milliseconds(50);
        plan_.enough = 1;
    }

    std::vector<FinalistFigures> study(const std::vector<FinalistFigures>& finalists) {
        return report(finalists).finalists;
    }
    StudyResult report(const std::vector<FinalistFigures>& finalists) {
        return study_finalists(task_, finalists, plan_, hooks_, binaries_, Log(LogLevel::off));
    }

    FakeClock clock_;
    FakeDevice device_;
    Kernel kernel_ = fake_sum_kernel();
    Task task_{device_, kernel_, fake_sum_problem()};
    BinaryCache binaries_;
    StudyPlan plan_;
    std::atomic<bool> stop_{false};
    TuneHooks hooks_{.stop = &stop_, .time = &clock_};
    FakeClock::Clock::time_point begin_ = clock_.now();
};

TEST_F(FinalistStudyTest, MeasuresTheEnergyOfALaunch) {
    // 1 ms: five launches are a sample.
    const auto figures = study(
        {{kFakeDefault, {1e6}, {}, {}, {}, 1e6}, {"block=32 items=1", {1e6}, {}, {}, {}, 1e6}});
    ASSERT_EQ(figures.size(), 2U);
    for (const FinalistFigures& one : figures) {
        EXPECT_GE(one.energy_j.size(), plan_.fewest_windows);
        EXPECT_EQ(one.launch_ns.size(), one.energy_j.size());
        EXPECT_NEAR(one.power_w(), 250, 30) << "a reading at each end is late by up to 2.5 ms";
        EXPECT_EQ(Conditions::parse(one.conditions.text()).phase, Conditions::Phase::study);
        EXPECT_EQ(one.conditions.chain, 5U);
    }
    EXPECT_EQ(figures[0].configuration, kFakeDefault);
}

TEST_F(FinalistStudyTest, TakesMoreWindowsWhereTheyDiffer) {
    plan_.enough = 1e-9;
    const auto figures = study({{kFakeDefault, {1e6}, {}, {}, {}, 1e6}});
    ASSERT_EQ(figures.size(), 1U);
    EXPECT_EQ(figures[0].energy_j.size(), plan_.most_windows);
    EXPECT_GT(figures[0].energy().uncertainty(), 0);
}

TEST_F(FinalistStudyTest, LeavesOutAFinalistThatFails) {
    device_.on(fake_sum(32, 1)).timer_failure = LaunchFailure{false, false, "no luck"};
    const auto figures = study(
        {{"block=32 items=1", {1e6}, {}, {}, {}, 1e6}, {kFakeDefault, {1e6}, {}, {}, {}, 1e6}});
    ASSERT_EQ(figures.size(), 1U);
    EXPECT_EQ(figures[0].configuration, kFakeDefault);
}

TEST_F(FinalistStudyTest, EndsAtAStopRequestWithWhatIsMeasured) {
    plan_.warm_up = plan_.window = std::chrono::milliseconds(0);
    plan_.most_windows = 1'000'000;
    plan_.enough = -1;
    const auto counter = device_.energy;
    std::atomic<int> readings{0};
    device_.energy = [&] {
        stop_ = ++readings > 300;
        return counter();
    };
    const StudyResult cut = report({{kFakeDefault, {1e6}, {}, {}, {}, 1e6}});
    EXPECT_TRUE(cut.stopped);
    ASSERT_EQ(cut.finalists.size(), 1U);
    EXPECT_LT(cut.finalists[0].energy_j.size(), 1000U);
}

TEST_F(FinalistStudyTest, CompilesFinalistsAtTheSameTime) {
    if (CompileAhead::threads_for(1) < 2) {
        GTEST_SKIP() << "one core compiles one finalist at a time";
    }
    plan_.energy = false;
    std::atomic<int> begun{0};
    device_.before_compile = [&](auto) {
        ++begun;
        const auto begin = std::chrono::steady_clock::now();
        while (begun < 2 && std::chrono::steady_clock::now() - begin < std::chrono::seconds(30)) {
            std::this_thread::yield();
        }
        if (begun < 2) {
            throw Error(ErrorKind::unavailable, "the other compile waits for this one");
        }
    };
    EXPECT_EQ(study({{kFakeDefault, {1e6}, {}, {}, {}, 1e6},
                     {"block=32 items=1", {1e6}, {}, {}, {}, 1e6}})
                  .size(),
              2U);
}

TEST_F(FinalistStudyTest, BeginsNoCompileAndLoadsNothingAfterAStopRequest) {
    std::vector<FinalistFigures> finalists{{kFakeDefault, {1e6}, {}, {}, {}, 1e6}};
    device_.before_compile = [&](auto) { stop_ = true; };
    EXPECT_TRUE(report(finalists).stopped);
    EXPECT_EQ(device_.compiles(), 1);
    EXPECT_EQ(device_.loads(), 0);
    finalists.push_back({"block=32 items=1", {1e6}, {}, {}, {}, 1e6});
    EXPECT_TRUE(report(finalists).finalists.empty());
    EXPECT_EQ(device_.compiles(), 1);
}

TEST_F(FinalistStudyTest, RefusesADeviceWithoutACounter) {
    refuse_without_energy(device_);
    device_.energy = nullptr;
    expect_error(ErrorKind::unavailable, "no energy counter",
                 [&] { refuse_without_energy(device_); });
    expect_error(ErrorKind::unavailable, "no energy counter", [&] {
        study({{kFakeDefault, {1e6}, {}, {}, {}, 1e6}});
    });
}

TEST_F(FinalistStudyTest, PassesOnThatTheCounterFails) {
    const auto counter = device_.energy;
    std::atomic<int> readings{0};
    device_.energy = [&] { return ++readings > 20 ? std::nullopt : counter(); };
    expect_error(ErrorKind::unavailable, "tune for time there", [&] {
        study({{kFakeDefault, {1e6}, {}, {}, {}, 1e6}});
    });
}

TEST_F(FinalistStudyTest, PassesOnThatTheCounterStandsStill) {
    device_.energy = [this] {
        clock_.advance(std::chrono::milliseconds(100));
        return std::optional(1000.0);
    };
    expect_error(ErrorKind::unavailable, "its energy counter has not moved within 5 s", [&] {
        study({{kFakeDefault, {1e6}, {}, {}, {}, 1e6}});
    });
}

TEST_F(FinalistStudyTest, ReadsCountersWithoutEnergy) {
    plan_.energy = false;
    plan_.counters = true;
    device_.counters = [](const std::string& expression) {
        return expression == fake_sum(32, 1) ? CounterOutcome("no rights")
                                             : std::vector<CounterValue>{{"occupancy", 50, "%"}};
    };
    const StudyResult both = report({{kFakeDefault, {1e6, 2e6}, {}, {}, {}, 1e6},
                                     {"block=32 items=1", {1e6}, {}, {}, {}, 1e6}});
    ASSERT_EQ(both.finalists.size(), 2U);
    EXPECT_EQ(both.no_counters, "no rights");
    EXPECT_EQ(both.finalists[0].text(), R"({"occupancy":50})");
    EXPECT_EQ(both.finalists[0].launch_ns, (std::vector<double>{1e6, 2e6}));
    EXPECT_EQ(both.finalists[0].conditions.phase, Conditions::Phase::study);
    EXPECT_EQ(both.finalists[1].text(), "");
    EXPECT_EQ(both.finalists[1].conditions.phase, Conditions::Phase::search);
}

TEST_F(FinalistStudyTest, KeepsTheEnergyWhereALaunchFailsUnderTheProfiler) {
    plan_.counters = true;
    device_.counters = [](const std::string&) -> CounterOutcome {
        throw Error(ErrorKind::device, "the context is lost");
    };
    const StudyResult both = report(
        {{kFakeDefault, {1e6}, {}, {}, {}, 1e6}, {"block=32 items=1", {1e6}, {}, {}, {}, 1e6}});
    EXPECT_EQ(both.no_counters, "the context is lost");
    ASSERT_EQ(both.finalists.size(), 2U);
    EXPECT_GT(both.finalists[1].energy_j.size(), 1U);
}

TEST_F(FinalistStudyTest, HasFiguresThatADatabaseHolds) {
    const FinalistFigures figures{kFakeDefault, {2e6, 2e6, 2e6}, {0.5, 0.5, 0.5}, {}, {}};
    EXPECT_EQ(figures.text(),
              R"({"energy_j":0.5,"energy_low_j":0.5,"energy_high_j":0.5,"power_w":250})");
}

}  // namespace
}  // namespace jitune::internal
