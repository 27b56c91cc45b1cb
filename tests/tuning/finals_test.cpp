// SPDX-License-Identifier: Apache-2.0
#include "tuning/finals/finals.hpp"

#include <atomic>
#include <cmath>
#include <random>
#include <utility>

#include "fixtures/tuner_fixture.hpp"
#include "tuning/search/tuning_history.hpp"

namespace jitune::internal {
namespace {

using FinalsTest = TunerTest;

TEST_F(FinalsTest, AStopRequestDuringTheFinalsEndsThem) {
    std::mt19937 random(1);
    std::normal_distribution<double> noise(0, 0.3);
    device_.disturbance = [&] { return std::exp(noise(random)); };
    std::size_t evaluated = 0;
    std::atomic<bool> stop{false};
    hooks_.stop = &stop;
    hooks_.progress = [&](const TuneProgress& progress) { evaluated = progress.evaluated; };
    device_.before_sample = [&] { stop = evaluated == kSpace; };
    const TuneReport report = tune();
    EXPECT_TRUE(report.winner.complete);
    EXPECT_EQ(report.measurements.back().samples_ns.size(), 8U);
}

TEST_F(FinalsTest, RecordsAFinalistThatIsWrongInTheFinals) {
    std::size_t evaluated = 0;
    hooks_.progress = [&](const TuneProgress& progress) { evaluated = progress.evaluated; };
    on(128, 4) = {.ns = 400, .run = [&](const Launch& launch) {
                      evaluated == kSpace ? wrong_sum(launch) : right_sum(launch);
                  }};
    on(32, 1).ns = 850;
    const TuneReport report = tune();
    EXPECT_EQ(report.winner.configuration, "block=32 items=1") << "and not none";
    EXPECT_EQ(report.progress.failed, 1U);
    EXPECT_EQ(of(report, "block=128 items=4").verdict, Verdict::timed);
    plan_.history = tuning_history(report.measurements, "n=1000", report.winner.provenance, true,
                                   {std::chrono::seconds(60), std::chrono::seconds(120)})
                        .known;
    const auto known = std::find_if(
        plan_.history.begin(), plan_.history.end(),
        [](const Measurement& one) { return one.configuration == "block=128 items=4"; });
    ASSERT_NE(known, plan_.history.end());
    EXPECT_EQ(known->verdict, Verdict::wrong_result);
    EXPECT_TRUE(known->reason.ends_with("in a launch that was timed")) << known->reason;
    evaluated = 0;
    EXPECT_EQ(tune().winner.configuration, "block=32 items=1") << "a later session";
}

TEST_F(FinalsTest, AreNotRepeatedWhenTheirTimeIsOver) {
    plan_.budget = std::chrono::seconds(2);
    std::size_t evaluated = 0;
    hooks_.progress = [&](const TuneProgress& progress) { evaluated = progress.evaluated; };
    device_.before_sample = [&] {
        if (evaluated == kSpace && std::exchange(on(256, 1).ns, 900) < 900) {
            clock_.advance(plan_.budget / 4);
        }
    };
    on(128, 4) = {.ns = 400, .run = [&](const Launch& launch) {
                      evaluated == kSpace ? wrong_sum(launch) : right_sum(launch);
                  }};
    on(256, 1).ns = 440;
    on(32, 1).ns = 480;  // too slow for the finals while the first of those is in them
    const TuneReport report = tune();
    EXPECT_EQ(report.progress.failed, 1U);
    EXPECT_EQ(report.winner.configuration, "block=256 items=1");
}

TEST_F(FinalsTest, AWinnerThatIsWrongWhenItIsCompiledAloneIsNone) {
    plan_.compile_threads =
        1;  // programs of several instances, so that the winner is compiled again
    std::atomic<int> compiled{0};
    device_.before_compile = [&](std::span<const Instance> instances) {
        compiled += static_cast<int>(instances.size());
    };
    on(128, 4) = {.ns = 400, .run = [&](const Launch& launch) {
                      compiled > static_cast<int>(kSpace) ? wrong_sum(launch) : right_sum(launch);
                  }};
    on(32, 1).ns = 500;
    const TuneReport report = tune();
    EXPECT_EQ(report.winner.configuration, "block=32 items=1");
    EXPECT_EQ(report.progress.failed, 1U);
}

}  // namespace
}  // namespace jitune::internal
