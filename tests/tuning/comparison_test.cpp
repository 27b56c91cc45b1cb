// SPDX-License-Identifier: Apache-2.0
#include "tuning/tuner.hpp"

#include <gtest/gtest.h>

#include "fixtures/tuner_fixture.hpp"

namespace jitune::internal {
namespace {

class ComparisonTest : public TunerTest {
protected:
    TuneReport compared() {
        return compare({device_, kernel_, problem_}, compared_, plan_, hooks_, binaries_,
                       Log(LogLevel::off));
    }

    static bool has_finals(const TuneReport& report, const std::string& configuration) {
        return std::any_of(report.measurements.begin(), report.measurements.end(),
                           [&](const Measurement& one) {
                               return one.configuration == configuration && is_of_finals(one);
                           });
    }

    std::vector<std::string> compared_{"block=128 items=4", "block=256 items=1"};
};

TEST_F(ComparisonTest, TimesTheConfigurationsAndTheDefaultAndNoOthers) {
    on(128, 4).ns = 990;
    on(256, 1).ns = 950;
    on(32, 1).ns = 100;
    const TuneReport report = compared();
    EXPECT_EQ(report.progress.evaluated, 3U);
    EXPECT_TRUE(has_finals(report, "block=128 items=4"));
    EXPECT_TRUE(has_finals(report, "block=256 items=1"));
    EXPECT_TRUE(has_finals(report, "block=64 items=2")) << "the default";
    EXPECT_FALSE(has_finals(report, "block=32 items=1"));
}

TEST_F(ComparisonTest, AFarSlowerConfigurationMakesNoSampleShorter) {
    on(128, 4).ns = 150'000;
    const TuneReport report = compared();
    EXPECT_NE(of(report, "block=256 items=1").conditions.find("chain=64"), std::string::npos)
        << of(report, "block=256 items=1").conditions;
}

TEST_F(ComparisonTest, TheFirstIsTheWinnerAlthoughAnotherIsFaster) {
    on(128, 4).ns = 990;
    on(256, 1).ns = 950;
    const Winner winner = compared().winner;
    EXPECT_EQ(winner.configuration, "block=128 items=4");
    EXPECT_EQ(winner.median_ns, 990);
    EXPECT_EQ(winner.default_median_ns, 1000);
}

TEST_F(ComparisonTest, AFailureGivesWayToTheFastest) {
    on(128, 4) = {.ns = 100, .run = wrong_sum};
    on(256, 1).ns = 950;
    const TuneReport report = compared();
    EXPECT_EQ(report.winner.configuration, "block=256 items=1");
    EXPECT_EQ(of(report, "block=128 items=4").verdict, Verdict::wrong_result);
    EXPECT_EQ(report.progress.failed, 1U);
}

TEST_F(ComparisonTest, HasNoWinnerWhereItIsStoppedBeforeAllAreTimed) {
    std::atomic<bool> stop{false};
    hooks_.stop = &stop;
    hooks_.progress = [&](const TuneProgress& progress) { stop = progress.evaluated == 1; };
    const TuneReport report = compared();
    EXPECT_EQ(report.winner.configuration, "");
    EXPECT_EQ(report.measurements.size(), 1U);
}

TEST_F(ComparisonTest, ReportsTheFailuresWhereAllFail) {
    device_.otherwise.run = wrong_sum;
    const TuneReport report = compared();
    EXPECT_EQ(report.winner.configuration, "");
    EXPECT_EQ(of(report, "block=128 items=4").verdict, Verdict::wrong_result);
    EXPECT_EQ(report.progress.failed, 3U);
}

TEST_F(ComparisonTest, TimesAConfigurationTwiceOnlyIfItIsCloseToTheFastest) {
    on(128, 4).ns = 5000;
    on(256, 1).ns = 950;
    const TuneReport report = compared();
    EXPECT_EQ(of(report, "block=128 items=4").verdict, Verdict::timed);
    EXPECT_FALSE(has_finals(report, "block=128 items=4"));
    EXPECT_EQ(report.winner.configuration, "block=256 items=1") << "five times slower is no choice";
}

TEST_F(ComparisonTest, ABriefOneTimesAllButHasNoFinalsAndNoWinner) {
    on(128, 4).ns = 990;
    plan_.brief = true;
    const TuneReport report = compared();
    EXPECT_EQ(report.progress.evaluated, 3U);
    EXPECT_EQ(of(report, "block=128 items=4").verdict, Verdict::timed);
    EXPECT_FALSE(has_finals(report, "block=128 items=4"));
    EXPECT_EQ(report.winner.configuration, "");
}

TEST_F(ComparisonTest, LeavesOutWhatEndedAWorkerBefore) {
    on(128, 4).ns = 100;
    Measurement crash;
    crash.configuration = "block=128 items=4";
    crash.verdict = Verdict::crashed;
    plan_.history = {crash};
    const TuneReport report = compared();
    EXPECT_EQ(report.progress.evaluated, 2U);
    EXPECT_FALSE(has_finals(report, crash.configuration));
}

TEST_F(ComparisonTest, RunsSuspectsFirst) {
    plan_.suspects = {"block=64 items=2"};
    EXPECT_EQ(compared().measurements.front().configuration, "block=64 items=2");
}

TEST_F(ComparisonTest, TheDefaultMayBeListed) {
    compared_ = {"block=64 items=2", "block=128 items=4"};
    on(128, 4).ns = 950;
    const Winner winner = compared().winner;
    EXPECT_EQ(winner.configuration, "block=64 items=2");
    EXPECT_EQ(winner.default_median_ns, winner.median_ns);
}

TEST_F(ComparisonTest, CompilesEachAloneAndOnce) {
    compared();
    const int compiles = device_.compiles();
    EXPECT_EQ(compiles, 3);
    compared();
    EXPECT_EQ(device_.compiles(), compiles);
}

}  // namespace
}  // namespace jitune::internal
