// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <filesystem>
#include <map>
#include <thread>

#include "dispatch/answer/explanation.hpp"
#include "dispatch/behind/range_winners.hpp"
#include "fake/fake_clock.hpp"
#include "fixtures/engine_fixture.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuning/record/record_maker.hpp"
#include "tuning/search/tuning_history.hpp"

namespace jitune::internal {
namespace {

class EngineRanges : public EngineFixture {
protected:
    /// Makes a database with the winner for n = 1000 alone, which serves these sizes.
    void restrict_range(const std::string& covers, bool unsure = false) {
        restore(kFastest, {covers, 1.02, 59, unsure});
    }
    /// The same, with this configuration.
    void restore(const char* configuration, const WinnerRange& range) {
        const Problem problem = fake_sum_problem();
        const RecordKey key = kernel_.kernel_template.key(problem, device_.info());
        Winner winner = make_engine()->store()->incumbent(key, problem.sizes).value();
        std::filesystem::remove(options_.database);
        winner.configuration = configuration;
        winner.range = range;
        make_engine()->store()->save({}, winner);
    }

    /// Stores a comparison at n with these times in ns.
    void store_comparison(std::int64_t n, const std::map<std::string, double>& times,
                          const std::string& created_at = "2026-01-01T00:00:00Z") {
        const Task task{device_, kernel_, fake_sum_problem(n)};
        std::vector<Measurement> rows;
        for (const auto& [configuration, ns] : times) {
            rows.push_back(RecordMaker(task).verdict(configuration, Verdict::timed, ""));
            rows.back().samples_ns = {ns, ns, ns};
            rows.back().conditions = "l2=cold compared";
            rows.back().provenance.created_at = created_at;
        }
        make_engine()->store()->save(rows);
    }
};

TEST_F(EngineRanges, AnswersThatAreNotStoredHideNoStoredRange) {
    tune_before();
    restrict_range("n=1000..1010; n=1040");
    for (const TunePolicy policy : {TunePolicy::template_default, TunePolicy::offline}) {
        options_.on_miss = policy;
        const Origin elsewhere =
            policy == TunePolicy::offline ? Origin::nearest : Origin::template_default;
        const auto engine = make_engine();
        EXPECT_EQ(info(*engine, 990).origin, elsewhere);
        EXPECT_EQ(info(*engine, 1005).origin, Origin::stored);
        EXPECT_EQ(info(*engine, 1020).origin, elsewhere);
        EXPECT_EQ(info(*engine, 1040).origin, Origin::stored);
        EXPECT_EQ(info(*engine, 999).origin, elsewhere);
        EXPECT_EQ(&resolve(*engine, 995), &resolve(*engine, 990));
        EXPECT_EQ(&resolve(*engine, 1039), &resolve(*engine, 1020));
        EXPECT_EQ(&resolve(*engine, 1000), &resolve(*engine, 1005));
    }
}

TEST_F(EngineRanges, AnUnsureWinnerAnswersOnlyAsTheNearest) {
    tune_before();
    restrict_range("n=900..1100", true);
    options_.on_miss = TunePolicy::offline;
    EXPECT_EQ(info(*make_engine()).origin, Origin::nearest);
    options_.on_miss = TunePolicy::now;
    EXPECT_EQ(info(*make_engine()).origin, Origin::tuned);
    EXPECT_EQ(info(*make_engine()).origin, Origin::stored);
}

TEST_F(EngineRanges, TheNearestAnswersOnlyWhereItIsNotEstimatedToBeSlowerThanTheDefault) {
    tune_before();
    restrict_range("n=1000");
    store_comparison(1100, {{kFastest, 400}, {kFakeDefault, 1000}});
    store_comparison(1300, {{kFastest, 1500}, {kFakeDefault, 1000}});
    options_.on_miss = TunePolicy::offline;
    EXPECT_EQ(info(*make_engine(), 1100).origin, Origin::nearest);
    EXPECT_EQ(info(*make_engine(), 1120).origin, Origin::nearest);
    EXPECT_EQ(info(*make_engine(), 1280).origin, Origin::template_default);
    EXPECT_EQ(info(*make_engine(), 1 << 20).origin, Origin::template_default);
    EXPECT_EQ(info(*make_engine(), 1000).origin, Origin::stored);
}

TEST_F(EngineRanges, TheDefaultAnswersWhereItIsTheWinner) {
    tune_before();
    restore(kFakeDefault, {.covers = "n=800..1400", .by_default = true});
    const auto engine = make_engine();
    const Resolved& answer = resolve(*engine);
    EXPECT_EQ(answer.info.origin, Origin::template_default);
    EXPECT_EQ(answer.info.configuration, kFakeDefault);
    EXPECT_EQ(answer.reason, "");
    EXPECT_NE(answer.winner, Digest{}) << "calls do not count as misses";
    EXPECT_EQ(answer.winner_at, "") << "no winner is watched";
    EXPECT_EQ(answer.serves, (SizeBox{{938}, {1062}})) << "other sizes may have another default";
    EXPECT_EQ(info(*engine, 1300).origin, Origin::template_default);
    EXPECT_EQ(engine->counters().tunings, 0);
    EXPECT_EQ(info(*engine, 700).origin, Origin::tuned) << "not the nearest winner's sizes";
    const Explanation explained = explain(*engine, {device_, kernel_, fake_sum_problem()});
    EXPECT_EQ(explained.answer, "the template's default answers, as a sweep has chosen: " +
                                    std::string(kFakeDefault));
    EXPECT_TRUE(explained.rows.at(0).serves);
}

TEST_F(EngineRanges, ANewDefaultDoesNotAnswerForAnOlderOne) {
    tune_before();
    restore("block=32 items=1", {.covers = "n=800..1400", .by_default = true});
    const auto engine = make_engine();
    Winner of_no_size = engine->store()->winners().at(0);
    of_no_size.sizes = "n=800..1400";
    EXPECT_TRUE(is_of_other_default({device_, kernel_, fake_sum_problem()}, of_no_size));
    EXPECT_EQ(unserved(engine->tuner().store(), {device_, kernel_, fake_sum_problem()},
                       {{800}, {1400}}, Reuse::all)
                  .size(),
              1U);
    const Explanation explained = explain(*engine, {device_, kernel_, fake_sum_problem()});
    EXPECT_EQ(explained.rows.at(0).reason,
              "counts as missing: the template's default is another one since");
    EXPECT_EQ(info(*engine).origin, Origin::tuned);
    EXPECT_EQ(info(*make_engine()).origin, Origin::stored);
    for (const Winner& row : make_engine()->store()->winners()) {
        EXPECT_FALSE(row.range.by_default) << "a sweep would count its sizes as served";
    }
}

TEST_F(EngineRanges, APinKeepsNoOtherDefault) {
    tune_before();
    restore("block=32 items=1", {.covers = "n=800..1400", .by_default = true});
    const auto store = make_engine();
    store->store()->pin(winner_id(store->store()->winners().at(0)), true);
    EXPECT_EQ(info(*make_engine()).origin, Origin::tuned);
    EXPECT_EQ(info(*make_engine()).origin, Origin::stored);
}

TEST_F(EngineRanges, AFrozenSessionIsServedByDefault) {
    tune_before();
    restore(kFakeDefault, {.covers = "n=800..1400", .by_default = true});
    options_.frozen = true;
    const auto engine = make_engine();
    EXPECT_EQ(info(*engine).origin, Origin::template_default);
    EXPECT_EQ(engine->counters().unserved, 0);
    EXPECT_EQ(info(*engine, 5000).origin, Origin::template_default);
    EXPECT_EQ(engine->counters().unserved, 1);
}

TEST_F(EngineRanges, TheLargestComparisonAtASizeCounts) {
    tune_before();
    restrict_range("n=1000");
    options_.on_miss = TunePolicy::offline;
    store_comparison(1100, {{kFastest, 1500}, {kFakeDefault, 1000}, {"block=32 items=1", 900}});
    store_comparison(1100, {{kFastest, 400}, {kFakeDefault, 1000}}, "2026-01-01T00:00:01Z");
    EXPECT_EQ(info(*make_engine(), 1100).origin, Origin::template_default);
}

TEST_F(EngineRanges, ASearchTriesTheWinnersOfOtherSizesFirst) {
    tune_before(1000);
    tune_before(100'000);
    const auto engine = make_engine();
    const Task task{device_, kernel_, fake_sum_problem(5'000)};
    SearchPlan plan;
    recall(*engine->store(), RecordMaker(task), {}, plan);
    EXPECT_EQ(plan.hints, std::vector<std::string>{kFastest}) << "the winner of both sizes";
    EXPECT_EQ(plan.incumbent, "");
    plan.hints = {kFastest};
    recall(*engine->store(), RecordMaker(task), {}, plan);
    EXPECT_EQ(plan.hints.size(), 1U);
}

TEST_F(EngineRanges, ATuningOfARangeGoesOnWhereItEnded) {
    const SizeBox domain{{8}, {200}};
    int steps = 0;
    const auto tune = [&](bool resume) {
        const auto engine = make_engine();
        steps = 0;
        std::vector<double> left_s;
        const TuneHooks hooks{.progress = [&](const TuneProgress& progress) {
            ++steps;
            ASSERT_TRUE(progress.range);
            EXPECT_LE(progress.range->searched, progress.range->anchors);
            left_s.push_back(progress.range->left_s);
        }};
        const SearchPlan plan{.budget = options_.budget};
        const Task task{device_, kernel_, fake_sum_problem()};
        const RangeReport report = tune_range(engine->tuner(), task, domain, plan, hooks,
                                              resume ? Reuse::undisturbed : Reuse::nothing);
        EXPECT_FALSE(report.winners.empty());
        EXPECT_TRUE(report.stored);
        EXPECT_GE(left_s.back(), 0);
        EXPECT_TRUE(engine->counters().tunings == 0 || left_s.front() > left_s.back());
        return engine->counters().tunings;
    };
    const std::int64_t searches = tune(true);
    const int all_steps = steps;
    EXPECT_GT(searches, 3);
    EXPECT_EQ(tune(true), 0);
    EXPECT_LE(steps, 4) << "the winner and the default, for the row's own times";
    EXPECT_EQ(tune(false), searches);
    EXPECT_GT(steps, all_steps / 2);
}

TEST_F(EngineRanges, WhatOtherProcessesDisturbedIsTunedAgain) {
    const SizeBox domain{{8}, {20}};
    const Task task{device_, kernel_, fake_sum_problem()};
    const SearchPlan plan{.budget = options_.budget};
    const FakeClock clock;
    const TuneHooks hooks{.time = &clock};
    const auto engine = make_engine();
    device_.processor_use = [use = ProcessorUse()]() mutable {
        use.ran += std::chrono::milliseconds(1);
        use.waited += std::chrono::milliseconds(1);
        return use;
    };
    const RangeReport busy = tune_range(engine->tuner(), task, domain, plan, hooks, Reuse::nothing);
    EXPECT_FALSE(busy.winners.empty()) << "for the nearest sizes";
    EXPECT_TRUE(std::all_of(busy.winners.begin(), busy.winners.end(),
                            [](const Winner& winner) { return winner.range.unsure; }));
    const std::int64_t before = engine->counters().tunings;
    device_.processor_use = nullptr;
    tune_range(engine->tuner(), task, domain, plan, hooks, Reuse::all);
    EXPECT_EQ(engine->counters().tunings, before);
    EXPECT_TRUE(unserved(engine->tuner().store(), task, domain, Reuse::all).empty())
        << "disturbed comparisons were made again";
    tune_range(engine->tuner(), task, domain, plan, hooks, Reuse::undisturbed);
    EXPECT_GT(engine->counters().tunings, before);
    EXPECT_TRUE(unserved(engine->tuner().store(), task, domain, Reuse::undisturbed).empty());
}

TEST_F(EngineRanges, AStopLeavesTheStoredRangesAsTheyWere) {
    const SizeBox domain{{8}, {100}};
    const Task task{device_, kernel_, fake_sum_problem()};
    const SearchPlan plan{.budget = options_.budget};
    tune_range(make_engine()->tuner(), task, domain, plan, {}, Reuse::nothing);
    const auto engine = make_engine();
    const std::vector<Winner> before = engine->store()->winners();
    std::atomic<bool> stop{false};
    TuneHooks hooks;
    hooks.stop = &stop;
    hooks.progress = [&](const TuneProgress& progress) { stop = progress.range->compared > 2; };
    const RangeReport report =
        tune_range(engine->tuner(), task, domain, plan, hooks, Reuse::nothing);
    EXPECT_TRUE(report.winners.empty());
    EXPECT_FALSE(report.stored);
    for (const std::int64_t n : {8, 20, 51, 100}) {
        EXPECT_TRUE(engine->store()->find(task.key(), std::array{n})) << n;
    }
    EXPECT_GE(engine->store()->winners().size(), before.size());
}

TEST_F(EngineRanges, ThreadsThatNeedOtherSizesOfABucketGetTheirOwnAnswers) {
    tune_before();
    restrict_range("n=1000");
    options_.on_miss = TunePolicy::template_default;
    const auto engine = make_engine();
    std::vector<Origin> origins(16);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < origins.size(); ++t) {
        threads.emplace_back(
            [&, t] { origins[t] = info(*engine, t % 2 == 0 ? 1000 : 1003).origin; });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (std::size_t t = 0; t < origins.size(); ++t) {
        EXPECT_EQ(origins[t], t % 2 == 0 ? Origin::stored : Origin::template_default);
    }
}

}  // namespace
}  // namespace jitune::internal
