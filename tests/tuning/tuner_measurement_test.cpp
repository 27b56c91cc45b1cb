// SPDX-License-Identifier: Apache-2.0
// How a tuning handles noise, changing clocks and impossible times.
#include <atomic>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>
#include <utility>

#include "fixtures/tuner_fixture.hpp"
#include "tuner_db/winners/trust.hpp"

namespace jitune::internal {
namespace {

using TunerMeasurementTest = TunerTest;

TEST_F(TunerMeasurementTest, KeepsTheDefaultUnlessAnotherIsFasterThanTheNoise) {
    std::mt19937 random(1);
    std::normal_distribution<double> noise(0, 0.05);
    device_.disturbance = [&] { return std::exp(noise(random)); };
    on(128, 1).ns = 995;
    EXPECT_EQ(tune().winner.configuration, kFakeDefault);
    on(128, 1).ns = 900;
    EXPECT_EQ(tune().winner.configuration, "block=128 items=1");
}

TEST_F(TunerMeasurementTest, NeverReplacesADefaultThatIsTheFastestHoweverNoisyTheDevice) {
    on_all_others([](FakeBehaviour& other) { other.ns = 1003; });
    for (unsigned seed = 0; seed < 30; ++seed) {
        std::mt19937 random(seed);
        std::normal_distribution<double> noise(0, 0.01);
        std::uniform_real_distribution<double> uniform(0, 1);
        double drift = 0;
        device_.disturbance = [&] {
            drift += 0.001 * noise(random) * 10;
            const double tail = uniform(random) < 0.05 ? 1 + uniform(random) : 1;
            return tail * std::exp(drift + noise(random));
        };
        plan_.seed = seed;
        const TuneReport report = tune();
        EXPECT_EQ(report.winner.configuration, kFakeDefault) << seed;
        EXPECT_EQ(report.winner.certainty.speed_up_low, 1) << seed;
        EXPECT_EQ(report.winner.certainty.speed_up_high, 1) << seed;
    }
}

/// Knows which configuration is being timed.
class Current : public TuneObserver {
public:
    void begin(const std::string& configuration, Phase /*phase*/) override {
        configuration_ = configuration;
    }
    [[nodiscard]] const std::string& configuration() const { return configuration_; }

private:
    std::string configuration_;
};

TEST_F(TunerMeasurementTest, ADefaultThatOtherProcessesSlowDownGivesNoCertainSpeedUp) {
    Current current;
    hooks_.observer = &current;
    on(128, 4).ns = 100;
    int sample = 0;
    device_.disturbance = [&] {  // of four samples three wait for a time slice
        return current.configuration() == kFakeDefault && ++sample % 4 != 0 ? 400.0 : 1.0;
    };
    const Winner winner = tune().winner;
    EXPECT_EQ(winner.configuration, "block=128 items=4");
    EXPECT_EQ(winner.default_median_ns, 400'000);
    EXPECT_LE(winner.certainty.speed_up_low, 10);
    EXPECT_TRUE(is_scattered(winner.default_median_ns / winner.median_ns, winner.certainty));
}

TEST_F(TunerMeasurementTest, ADefaultWhoseSamplesWereAllEquallySlowGivesNoCertainSpeedUp) {
    std::size_t evaluated = 0;
    hooks_.progress = [&](const TuneProgress& progress) { evaluated = progress.evaluated; };
    device_.disturbance = [&] { return evaluated == 0 ? 4.0 : 1.0; };
    on(128, 4).ns = 100;
    const TuneReport first = tune();
    EXPECT_EQ(first.winner.configuration, "block=128 items=4");
    EXPECT_EQ(first.winner.default_median_ns, 4000);
    EXPECT_EQ(first.winner.certainty.speed_up_low, 10);
    EXPECT_TRUE(is_disturbed(40, first.winner.certainty));

    plan_.history = {of(first, kFakeDefault), of(first, "block=128 items=4")};
    const Winner resumed = tune().winner;
    EXPECT_EQ(resumed.default_median_ns, 4000);
    EXPECT_TRUE(is_disturbed(40, resumed.certainty));
}

TEST_F(TunerMeasurementTest, ADefaultThatFailsWhenItIsTimedAgainGivesNoSpeedUp) {
    std::size_t evaluated = 0;
    hooks_.progress = [&](const TuneProgress& progress) { evaluated = progress.evaluated; };
    on(64, 2).run = [&](const Launch& launch) {
        evaluated == kSpace ? wrong_sum(launch) : right_sum(launch);
    };
    on(128, 4).ns = 100;
    const TuneReport report = tune();
    EXPECT_EQ(report.winner.default_median_ns, 0);
    EXPECT_EQ(report.measurements.back().configuration, kFakeDefault);
    EXPECT_EQ(report.measurements.back().verdict, Verdict::wrong_result);
}

TEST_F(TunerMeasurementTest, ALaunchOfSecondsIsASampleByItself) {
    on_all_others([](FakeBehaviour& other) { other.ns = 2e9; });
    on(64, 2).ns = 2e9;
    on(128, 4).ns = 1e9;
    const TuneReport report = tune();
    EXPECT_EQ(report.winner.configuration, "block=128 items=4");
    EXPECT_NE(report.winner.certainty.conditions.find(" chain=1 "), std::string::npos)
        << report.winner.certainty.conditions;
}

TEST_F(TunerMeasurementTest, ADisturbedProbeDoesNotShortenTheSamples) {
    bool first = true;
    device_.disturbance = [&] { return std::exchange(first, false) ? 1e6 : 1.0; };
    const std::string conditions = tune().winner.certainty.conditions;
    EXPECT_EQ(conditions.find(" chain=1 "), std::string::npos) << conditions;
}

TEST_F(TunerMeasurementTest, ReportsTheSpeedUpWithItsInterval) {
    std::mt19937 random(1);
    std::normal_distribution<double> noise(0, 0.01);
    device_.disturbance = [&] { return std::exp(noise(random)); };
    on(128, 4).ns = 800;
    const Certainty certainty = tune().winner.certainty;
    EXPECT_LT(certainty.speed_up_low, 1.25);
    EXPECT_GT(certainty.speed_up_high, 1.25);
    EXPECT_LT(certainty.speed_up_high - certainty.speed_up_low, 0.1);
    EXPECT_GT(certainty.uncertainty, 0);
    EXPECT_LT(certainty.uncertainty, 0.02);
    EXPECT_TRUE(certainty.conditions.ends_with(" interleaved")) << certainty.conditions;
}

TEST_F(TunerMeasurementTest, ReportsTheSpeedUpOverADefaultThatWasNotInTheFinals) {
    on(128, 4).ns = 100;
    const TuneReport report = tune();
    EXPECT_EQ(report.winner.default_median_ns, 1000);
    EXPECT_EQ(report.winner.certainty.speed_up_low, 10);
    EXPECT_EQ(report.winner.certainty.speed_up_high, 10);
}

TEST_F(TunerMeasurementTest, ReportsNoSpeedUpOverADefaultThatFails) {
    on(64, 2).compile_log = "no";
    EXPECT_EQ(tune().winner.certainty.speed_up_high, 0);
}

TEST_F(TunerMeasurementTest, RefusesTimesThatAreFasterThanTheMemory) {
    problem_ = fake_sum_problem(1 << 20);  // of 4 MiB, of which 1 MiB may be in the cache
    device_.info_.attributes["memory_bus_bits"] = 512;
    device_.info_.attributes["memory_clock_khz"] = 1'000'000;  // 128 bytes per ns
    device_.otherwise.ns = 40'000;
    on(32, 1).ns = 20'000;
    on(32, 2).ns = 30'000;
    const TuneReport report = tune();
    EXPECT_EQ(of(report, "block=32 items=1").verdict, Verdict::wrong_result);
    EXPECT_NE(of(report, "block=32 items=1").reason.find("faster than the memory"),
              std::string::npos)
        << of(report, "block=32 items=1").reason;
    EXPECT_EQ(report.winner.configuration, "block=32 items=2");
    kernel_ = fake_sum_kernel("cache = \"warm\"\n");
    EXPECT_EQ(tune().winner.configuration, "block=32 items=1");
}

class TunerClocksTest : public TunerTest {
protected:
    TunerClocksTest() {
        device_.before_sample = [this] { ++samples_; };
        plan_.max_evaluations = 1;
    }

    static bool has(const Measurement& measurement, const std::string& word) {
        return (measurement.conditions + " ").find(" " + word + " ") != std::string::npos;
    }

    int samples_ = 0;
};

TEST_F(TunerClocksTest, AreSteadyOrUnknown) {
    const TuneReport without = tune();
    EXPECT_TRUE(has(of(without, kFakeDefault), "clocks=unknown"));
    device_.clocks = [] { return ClockReading{1980, false}; };
    const TuneReport with = tune();
    EXPECT_TRUE(has(of(with, kFakeDefault), "clocks=steady"));
    EXPECT_TRUE(with.winner.certainty.conditions.starts_with(with.measurements.back().conditions));
    EXPECT_TRUE(has(with.measurements.back(), "clocks=steady"));
}

TEST_F(TunerClocksTest, MayChangeALittle) {
    unsigned reading = 0;
    device_.clocks = [&] { return ClockReading{1950 + 30 * (++reading % 2), false}; };
    EXPECT_TRUE(has(of(tune(), kFakeDefault), "clocks=steady"));
}

TEST_F(TunerClocksTest, ThatChangeCostABatchOfSamples) {
    device_.clocks = [] { return ClockReading{1980, false}; };
    tune();
    const int steady = std::exchange(samples_, 0);
    int reading = 0;
    device_.clocks = [&] { return ClockReading{++reading == 1 ? 600U : 1980U, false}; };
    const TuneReport report = tune();
    EXPECT_TRUE(has(of(report, kFakeDefault), "clocks=steady"));
    EXPECT_EQ(samples_, steady + 6);
    EXPECT_EQ(of(report, kFakeDefault).samples_ns.size(), 6U);
}

TEST_F(TunerClocksTest, ThatChangeUnderTheDefaultAloneMakeItsSpeedUpUncertain) {
    plan_.max_evaluations = 0;
    std::size_t evaluated = 0;
    hooks_.progress = [&](const TuneProgress& progress) { evaluated = progress.evaluated; };
    device_.clocks = [&] { return ClockReading{1980, evaluated == 0}; };
    on(128, 4).ns = 100;
    const Winner winner = tune().winner;
    EXPECT_EQ(winner.configuration, "block=128 items=4");
    EXPECT_TRUE(is_disturbed(10, winner.certainty)) << winner.certainty.conditions;
}

TEST_F(TunerClocksTest, ThatAreAlwaysHeldDownMarkTheMeasurements) {
    plan_.max_evaluations = 0;
    tune();
    const int steady = std::exchange(samples_, 0);
    device_.clocks = [] { return ClockReading{1200, true}; };
    const TuneReport report = tune();
    for (const Measurement& measurement : report.measurements) {
        EXPECT_TRUE(has(measurement, "clocks=noisy")) << measurement.conditions;
    }
    EXPECT_NE(report.winner.certainty.conditions.find("clocks=noisy"), std::string::npos);
    EXPECT_LE(samples_, steady + 20 * 9);  // at most 20 batches of 6 or rounds of 9
}

/// Threads of the process run for 1 ms between two readings.
class TunerContentionTest : public TunerTest {
protected:
    TunerContentionTest() {
        device_.processor_use = [this] {
            use_.ran += std::chrono::microseconds(1000);
            use_.waited += wait_(++readings_);
            use_.slowdown = slowdown_(readings_);
            return use_;
        };
    }

    std::function<std::chrono::microseconds(int)> wait_ = [](int) {
        return std::chrono::microseconds(5);
    };

    std::function<double(int)> slowdown_ = [](int) { return 1.1; };

private:
    int readings_ = 0;
    ProcessorUse use_;
};

TEST_F(TunerContentionTest, ShortWaitsAreNone) {
    for (const Measurement& one : tune().measurements) {
        EXPECT_FALSE(Conditions::parse(one.conditions).contended) << one.conditions;
    }
}

TEST_F(TunerContentionTest, WakeUpsAreNoContention) {
    wait_ = [](int) { return std::chrono::microseconds(80); };
    EXPECT_FALSE(is_provisional(tune().winner.certainty));
}

TEST_F(TunerContentionTest, AThreadThatIsWokenUpBesideTheSamplesDisturbsThem) {
    wait_ = [](int) { return std::chrono::microseconds(300); };
    EXPECT_TRUE(is_provisional(tune().winner.certainty));
}

TEST_F(TunerContentionTest, SamplesThatWaitedForAProcessorAreTakenAgain) {
    wait_ = [](int reading) { return std::chrono::microseconds(reading % 5 == 2 ? 1000 : 0); };
    const TuneReport report = tune();
    for (const Measurement& one : report.measurements) {
        EXPECT_FALSE(Conditions::parse(one.conditions).contended) << one.conditions;
    }
    EXPECT_FALSE(is_provisional(report.winner.certainty));
}

TEST_F(TunerContentionTest, OnABusyMachineTheWinnerIsProvisional) {
    wait_ = [](int) { return std::chrono::milliseconds(1); };
    on(128, 4).ns = 100;
    const Winner winner = tune().winner;
    EXPECT_EQ(winner.configuration, "block=128 items=4");
    EXPECT_TRUE(is_provisional(winner.certainty)) << winner.certainty.conditions;
}

TEST_F(TunerContentionTest, SamplesOfASlowProcessorAreTakenAgain) {
    slowdown_ = [](int reading) { return reading % 5 == 2 ? 1.5 : 1.0; };
    const TuneReport report = tune();
    for (const Measurement& one : report.measurements) {
        EXPECT_FALSE(Conditions::parse(one.conditions).contended) << one.conditions;
    }
    EXPECT_FALSE(is_provisional(report.winner.certainty));
}

TEST_F(TunerContentionTest, OnASlowProcessorTheWinnerIsProvisional) {
    slowdown_ = [](int) { return 1.5; };
    on(128, 4).ns = 100;
    const Winner winner = tune().winner;
    EXPECT_EQ(winner.configuration, "block=128 items=4");
    EXPECT_TRUE(is_provisional(winner.certainty)) << winner.certainty.conditions;
}

TEST_F(TunerContentionTest, AStopEndsTheRepetitions) {
    std::atomic<bool> stop{false};
    int samples = 0;
    wait_ = [](int) { return std::chrono::milliseconds(1); };
    device_.before_sample = [&] {
        ++samples;
        stop = true;
    };
    hooks_.stop = &stop;
    tune();
    const int once = samples;
    device_.processor_use = nullptr;
    stop = false;
    samples = 0;
    tune();
    EXPECT_EQ(once, samples);
}

TEST_F(TunerMeasurementTest, NoCompilerRunsBesideTheHostsSamples) {
    device_.info_.platform = PlatformKind::host;
    std::atomic<int> begun{0};
    device_.before_compile = [&](auto instances) {
        begun += static_cast<int>(instances.size());
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    device_.before_sample = [&] { EXPECT_EQ(begun, device_.compiles()); };
    plan_.compile_threads = 2;
    EXPECT_EQ(tune().progress.evaluated, kSpace);
}

TEST_F(TunerMeasurementTest, ADefaultThatHardlyAnotherWasTimedBesideIsProvisional) {
    on_all_others([](FakeBehaviour& other) { other.ns = 2000; });
    for (const auto& [evaluations, rivals] : {std::pair(1, "rivals=0"), std::pair(2, "rivals=1")}) {
        plan_.max_evaluations = static_cast<std::size_t>(evaluations);
        const Winner winner = tune().winner;
        EXPECT_EQ(winner.configuration, kFakeDefault);
        EXPECT_NE(winner.certainty.conditions.find(rivals), std::string::npos);
        EXPECT_TRUE(is_provisional(winner.certainty)) << winner.certainty.conditions;
    }
    plan_.max_evaluations = 3;
    EXPECT_FALSE(is_provisional(tune().winner.certainty));
    plan_.max_evaluations = 0;
    EXPECT_FALSE(is_provisional(tune().winner.certainty)) << "all were tried";
    plan_.max_evaluations = 2;
    on_all_others([](FakeBehaviour& other) { other.ns = 100; });
    EXPECT_FALSE(is_provisional(tune().winner.certainty)) << "it beats the default";
}

TEST_F(TunerMeasurementTest, AWinnerWhoseTimesContradictEachOtherIsProvisional) {
    std::size_t evaluated = 0;
    hooks_.progress = [&](const TuneProgress& progress) { evaluated = progress.evaluated; };
    device_.disturbance = [&] { return evaluated == kSpace ? 6.0 : 1.0; };
    on(128, 4).ns = 100;
    const Winner slowed_down = tune().winner;
    EXPECT_EQ(slowed_down.median_ns, 600);
    EXPECT_TRUE(is_provisional(slowed_down.certainty)) << slowed_down.certainty.uncertainty;
    device_.disturbance = [] { return 1.0; };
    EXPECT_FALSE(is_provisional(tune().winner.certainty));
}

}  // namespace
}  // namespace jitune::internal
