// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/tune_objective.hpp"

#include <algorithm>
#include <atomic>

#include "fixtures/engine_fixture.hpp"
#include "tuner_db/winners/precedence.hpp"

namespace jitune::internal {
namespace {

/// The fewer threads a block has, the better is a candidate.
class TuneObjectiveTest : public EngineFixture {
protected:
    TuneObjectiveTest() {
        kernel_ = fake_sum_kernel(
            "metrics.threads = { value = \"block * 1.0\", better = \"lower\" }\n"
            "metrics.area = { value = \"block * seconds\", better = \"lower\" }\n");
        kernel_.spec = {"sum"};
        device_.on(fake_sum(32, 1)).ns = 410;  // in the finals, too
        engine_ = make_engine();
        report_ = engine_->tuner().tune(task_, plan_);
        wishes_.objective = Objective::parse("threads", kernel_.kernel_template.front_matter());
        wishes_.count = 64;
    }

    std::optional<ObjectiveResult> study() {
        return study_tuned(wishes_, *engine_, task_, plan_, hooks_, report_);
    }
    std::optional<Winner> stored() {
        return engine_->store()->find(task_.key(), task_.problem.sizes);
    }

    Task task_{device_, kernel_, fake_sum_problem()};
    SearchPlan plan_{.strategy = "exhaustive"};
    std::unique_ptr<Engine> engine_;
    TuneReport report_;
    FinalistWishes wishes_;
    std::atomic<bool> stop_{false};
    TuneHooks hooks_{.stop = &stop_};
};

TEST_F(TuneObjectiveTest, StoresAndPinsWhatItChooses) {
    EXPECT_EQ(stored()->configuration, kFastest);
    const auto result = study();
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->pinned);
    EXPECT_TRUE(report_.stored);
    EXPECT_TRUE(report_.winner.configuration.starts_with("block=32 "))
        << report_.winner.configuration;
    EXPECT_EQ(stored()->configuration, report_.winner.configuration);
    EXPECT_TRUE(stored()->pinned);
}

TEST_F(TuneObjectiveTest, TakesNoCandidateThatWasFoundWrongAfterItsTime) {
    std::vector<Measurement> found_wrong;
    for (Measurement one : report_.measurements) {
        if (one.configuration.starts_with("block=32 ")) {
            one.verdict = Verdict::wrong_result;
            one.samples_ns.clear();
            one.conditions = "";
            found_wrong.push_back(one);
        }
    }
    ASSERT_FALSE(found_wrong.empty());
    for (const Measurement& one : found_wrong) {
        report_.measurements.push_back(one);
    }
    ASSERT_TRUE(study());
    EXPECT_TRUE(report_.winner.configuration.starts_with("block=64 "))
        << report_.winner.configuration;
}

TEST_F(TuneObjectiveTest, ReplacesAnEarlierChoiceOfTheSameObjective) {
    std::erase_if(report_.measurements, [](const Measurement& one) {
        return one.configuration.starts_with("block=32 ");
    });
    ASSERT_TRUE(study()->pinned);
    EXPECT_TRUE(stored()->configuration.starts_with("block=64 ")) << stored()->configuration;
    report_ = engine_->tuner().tune(task_, plan_);
    EXPECT_TRUE(report_.kept) << "by a tuning for time";
    ASSERT_TRUE(study()->pinned);
    EXPECT_TRUE(stored()->configuration.starts_with("block=32 ")) << stored()->configuration;
    EXPECT_TRUE(stored()->pinned);
}

TEST_F(TuneObjectiveTest, JudgesByTheFiguresThatItShows) {
    for (Measurement& one : report_.measurements) {
        if (one.configuration == "block=32 items=1") {
            one.samples_ns.back() = 1e9;  // which changes the mean, not the median
        }
    }
    wishes_.objective = Objective::parse("area", kernel_.kernel_template.front_matter());
    const auto result = study();
    ASSERT_TRUE(result);
    for (const ObjectiveResult::Row& row : result->rows) {
        ASSERT_EQ(row.metrics.size(), 2U);
        EXPECT_EQ(row.judged.cost.value, row.metrics[1].value) << row.judged.configuration;
        EXPECT_EQ(row.is_best_compromise, row.judged.configuration == kFastest ||
                                              row.judged.configuration == "block=32 items=1")
            << row.judged.configuration;
    }
}

TEST_F(TuneObjectiveTest, LeavesWhatAnotherHasPinned) {
    engine_->store()->pin(winner_id(*stored()), true);
    const auto result = study();
    ASSERT_TRUE(result);
    EXPECT_FALSE(result->pinned);
    EXPECT_TRUE(report_.kept);
    EXPECT_EQ(stored()->configuration, kFastest);
}

TEST_F(TuneObjectiveTest, StoresNoChoiceByDisturbedTimes) {
    for (Measurement& one : report_.measurements) {
        one.conditions = "cpu=contended interleaved";
    }
    const auto result = study();
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->disturbed);
    EXPECT_FALSE(result->pinned);
    EXPECT_EQ(report_.winner.configuration, kFastest);
    EXPECT_EQ(stored()->configuration, kFastest);
    EXPECT_FALSE(stored()->pinned);
}

TEST_F(TuneObjectiveTest, MeasuresTheIncumbentWhateverTheRestrictions) {
    plan_.only = {"block=64"};
    report_ = engine_->tuner().tune(task_, plan_);
    wishes_.count = 1;
    const auto result = study();
    ASSERT_TRUE(result);
    EXPECT_TRUE(std::any_of(result->rows.begin(), result->rows.end(),
                            [](const auto& row) { return row.judged.configuration == kFastest; }));
}

TEST_F(TuneObjectiveTest, ChoosesNothingAfterAStopRequest) {
    wishes_.counters = true;
    stop_ = true;
    EXPECT_FALSE(study());
    EXPECT_EQ(report_.winner.configuration, kFastest);
    EXPECT_EQ(stored()->configuration, kFastest);
    EXPECT_FALSE(stored()->pinned);
}

TEST_F(TuneObjectiveTest, StoresTheCountersOfEachCandidateAndChoosesNothingByTime) {
    device_.counters = [](const std::string&) {
        return std::vector<CounterValue>{{"occupancy", 50, "%"}};
    };
    wishes_.objective = {};
    wishes_.counters = true;
    wishes_.count = 2;
    const auto result = study();
    ASSERT_TRUE(result);
    EXPECT_EQ(result->no_counters, "");
    EXPECT_EQ(stored()->configuration, kFastest);
    EXPECT_FALSE(stored()->pinned);
    std::size_t with_figures = 0;
    for (const Measurement& one : engine_->store()->measurements().of(task_.key())) {
        with_figures += one.figures == R"({"occupancy":50})" ? 1 : 0;
    }
    EXPECT_EQ(with_figures, result->rows.size());
}

}  // namespace
}  // namespace jitune::internal
