// SPDX-License-Identifier: Apache-2.0
// What a person asks of a search: configurations to try first, and values to restrict it to.
#include <set>
#include <thread>

#include "fixtures/expect_error.hpp"
#include "fixtures/tuner_fixture.hpp"
#include "strategy/strategy.hpp"

namespace jitune::internal {
namespace {

std::vector<std::string> tried(const TuneReport& report) {
    std::vector<std::string> configurations;
    for (const Measurement& one : report.measurements) {
        if (!is_of_finals(one)) {
            configurations.push_back(one.configuration);
        }
    }
    return configurations;
}

TEST_F(TunerTest, TriesWhatWasAskedForBeforeHintsAndInItsOrder) {
    plan_.first = {"block=256 items=4", "block=32 items=1", "block=256 items=4", "block=7 items=1"};
    plan_.hints = {"block=128 items=1", "block=32 items=4"};
    plan_.max_evaluations = 3;
    plan_.compile_threads = 4;
    device_.before_compile = [](std::span<const Instance> instances) {
        for (const Instance& one : instances) {  // the hints compile sooner
            if (one.expressions.front() == fake_sum(256, 4)) {
                std::this_thread::sleep_for(std::chrono::milliseconds(100));
            }
        }
    };
    EXPECT_EQ(tried(tune()), (std::vector<std::string>{"block=64 items=2", "block=256 items=4",
                                                       "block=32 items=1"}));
}

TEST_F(TunerTest, TriesWhatWasAskedForWithoutAnyBudgetLeft) {
    plan_.first = {"block=256 items=4"};
    plan_.budget = plan_.spent = std::chrono::milliseconds(1);
    EXPECT_EQ(tried(tune()), (std::vector<std::string>{"block=64 items=2", "block=256 items=4"}));
}

/// Sees how far ahead a search asks its strategy.
class AskObserver : public TuneObserver {
public:
    void announce(std::span<const std::string> configurations) override {
        announced += configurations.size();
        further_than_known |= announced - measured_ > std::max<std::size_t>(2, measured_);
    }
    void measured(const Measurement&) override { ++measured_; }

    std::size_t announced = 0;
    bool further_than_known = false;

private:
    std::size_t measured_ = 0;
};

TEST_F(TunerTest, AsksALearningStrategyNoFurtherAheadThanItHasResults) {
    AskObserver observer;
    hooks_.observer = &observer;
    plan_.strategy = "surrogate";
    plan_.compile_threads = 1;
    EXPECT_EQ(tune().progress.evaluated, kSpace);
    EXPECT_EQ(observer.announced, kSpace);
    EXPECT_FALSE(observer.further_than_known);
}

TEST_F(TunerTest, AsksFurtherAheadWhereTheBudgetHoldsAllCandidates) {
    AskObserver observer;
    hooks_.observer = &observer;
    plan_.strategy = "surrogate";
    plan_.compile_threads = 1;
    plan_.budget = std::chrono::seconds(600);
    EXPECT_EQ(tune().progress.evaluated, kSpace);
    EXPECT_TRUE(observer.further_than_known);
    plan_.target_speed_up = 100;  // the order decides when it is reached
    observer = {};
    tune();
    EXPECT_FALSE(observer.further_than_known);
}

class TunerRestriction : public TunerTest {
protected:
    TunerRestriction() {
        plan_.only = {"block=128,256", "items=1..2"};
        plan_.hints = {"block=32 items=1"};
        on(32, 1).ns = 100;
        on(256, 1).ns = 400;
    }
};

TEST_F(TunerRestriction, IsKeptByEveryStrategyAndMeasuresTheDefault) {
    for (const StrategyEntry& strategy : strategies()) {
        plan_.strategy = strategy.name;
        const TuneReport report = tune();
        const auto all = tried(report);
        EXPECT_EQ(
            std::set<std::string>(all.begin(), all.end()),
            (std::set<std::string>{"block=64 items=2", "block=128 items=1", "block=128 items=2",
                                   "block=256 items=1", "block=256 items=2"}))
            << strategy.name;
        EXPECT_EQ(all.front(), "block=64 items=2");
        EXPECT_EQ(report.winner.configuration, "block=256 items=1");
        EXPECT_EQ(report.winner.default_median_ns, 1000);
        EXPECT_EQ(report.progress.space, 5U);
        EXPECT_EQ(report.progress.evaluated, 5U);
        EXPECT_FALSE(report.winner.complete) << "the rest of the space is open";
    }
}

TEST_F(TunerRestriction, LeavesTheIncumbentInTheRace) {
    plan_.incumbent = "block=32 items=1";
    const TuneReport report = tune();
    EXPECT_EQ(report.winner.configuration, "block=32 items=1");
    EXPECT_EQ(report.progress.space, 6U);
}

TEST_F(TunerRestriction, PassesOverResultsThatItLeavesOut) {
    const TuneReport before = [&] {
        SearchPlan all;
        std::swap(all, plan_);
        const TuneReport report = tune();
        std::swap(all, plan_);
        return report;
    }();
    for (const Measurement& one : before.measurements) {
        if (!is_of_finals(one)) {
            plan_.history.push_back(one);
        }
    }
    const TuneReport report = tune();
    EXPECT_EQ(report.progress.evaluated, 5U);
    EXPECT_TRUE(tried(report).empty());
    EXPECT_EQ(report.winner.configuration, "block=256 items=1");
}

TEST_F(TunerRestriction, ToAllValuesIsNone) {
    plan_.only = {"items=1,2,4"};
    EXPECT_TRUE(tune().winner.complete);
}

TEST_F(TunerRestriction, OfAnUnknownParameterIsRefused) {
    plan_.only = {"warps=1"};
    expect_error(ErrorKind::usage, "unknown parameter \"warps\"", [&] { tune(); });
}

}  // namespace
}  // namespace jitune::internal
