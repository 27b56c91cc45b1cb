// SPDX-License-Identifier: Apache-2.0
// Winners that were tuned beside other processes.
#include <chrono>

#include "dispatch/answer/explanation.hpp"
#include "fixtures/call_fixture.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuning/record/record_maker.hpp"
#include "tuning/search/tuning_history.hpp"

namespace jitune::internal {
namespace {

class ProvisionalWinner : public CallFixture {
protected:
    ProvisionalWinner() : CallFixture(TunePolicy::offline) {
        make_busy();
        options_.worker = "none";
        options_.tune_on_busy_gpu = true;
    }

    void make_busy() {
        device_.processor_use = [use = ProcessorUse()]() mutable {
            use.ran += std::chrono::milliseconds(1);
            use.waited += std::chrono::milliseconds(1);
            return use;
        };
    }
    void make_quiet() { device_.processor_use = nullptr; }

    Task task() { return {device_, kernel_, problem_}; }
    TuneReport tune(std::size_t max_evaluations = 0) {
        return engine()->tuner().tune(
            task(), {.budget = options_.budget, .max_evaluations = max_evaluations});
    }
    Winner stored() {
        return engine()->store()->find(task().key(), problem_.sizes).value_or(Winner{});
    }
    /// Says that the stored winner's speed-up over the default is at least `low`.
    void store_with_low(double low) {
        Winner winner = stored();
        winner.certainty.speed_up_low = low;
        engine()->store()->save({}, winner);
    }

    Problem problem_ = fake_sum_problem();
};

TEST_F(ProvisionalWinner, ServesWhereItIsFasterByThePessimisticReading) {
    tune();
    EXPECT_TRUE(is_provisional(stored().certainty));
    EXPECT_EQ(info(*engine()).configuration, kFastest);
    EXPECT_EQ(info(*engine()).origin, Origin::stored);
    store_with_low(0.99);
    EXPECT_EQ(info(*engine()).configuration, kFakeDefault);
    EXPECT_EQ(info(*engine()).origin, Origin::template_default);
}

TEST_F(ProvisionalWinner, ServesAndIsExplainedSoWhereItIsPinned) {
    tune();
    store_with_low(0.99);
    engine()->store()->pin(winner_id(stored()), true);
    EXPECT_EQ(info(*engine()).configuration, kFastest);
    const Explanation explanation = explain(*engine(), task());
    EXPECT_TRUE(explanation.rows.at(0).serves);
    EXPECT_EQ(explanation.answer, std::string("the stored winner answers: ") + kFastest);
}

TEST_F(ProvisionalWinner, IsExplained) {
    tune();
    EXPECT_NE(
        explain(*engine(), task())
            .rows.at(0)
            .reason.find(
                "provisional: other processes disturbed its tuning, so that the speed-up may be "
                "as low as 2.50x"),
        std::string::npos)
        << explain(*engine(), task()).rows.at(0).reason;
    store_with_low(0.99);
    const Explanation explanation = explain(*engine(), task());
    EXPECT_EQ(explanation.answer, std::string("the stored winner may be slower than the template's "
                                              "default, which answers: ") +
                                      kFakeDefault);
    EXPECT_FALSE(explanation.rows.at(0).serves);
    EXPECT_TRUE(explanation.rows.at(0).reason.starts_with("does not serve, it may be slower"))
        << explanation.rows.at(0).reason;
}

TEST_F(ProvisionalWinner, IsNoNearestAnswerWhereItMayBeSlower) {
    tune();
    EXPECT_EQ(info(*engine(), 2000).origin, Origin::nearest);
    store_with_low(0.99);
    EXPECT_EQ(info(*engine(), 2000).origin, Origin::template_default);
}

TEST_F(ProvisionalWinner, DoesNotReplaceASureOne) {
    make_quiet();
    tune();
    const Winner sure = stored();
    EXPECT_FALSE(is_provisional(sure.certainty));
    make_busy();
    device_.on(fake_sum(32, 1)).ns = 100;
    const TuneReport report = tune();
    EXPECT_TRUE(report.kept);
    EXPECT_EQ(report.winner, sure);
    EXPECT_EQ(stored(), sure);
    make_quiet();
    EXPECT_FALSE(tune().kept);
    EXPECT_EQ(stored().configuration, "block=32 items=1");
}

TEST_F(ProvisionalWinner, OfASearchThatWasCutShortDoesNotReplaceACompleteOne) {
    make_quiet();
    tune();
    const Winner complete = stored();
    EXPECT_TRUE(complete.complete);
    EXPECT_TRUE(tune(2).kept);
    EXPECT_EQ(stored(), complete);
}

TEST_F(ProvisionalWinner, IsKeptAfterTwoTries) {
    EXPECT_EQ(tries_of(tune().winner.certainty), 1U);
    EXPECT_EQ(trust_of(stored()), Trust::provisional);
    EXPECT_EQ(tries_of(tune().winner.certainty), 2U);
    EXPECT_EQ(trust_of(stored()), Trust::kept);
    make_quiet();
    EXPECT_EQ(tries_of(tune().winner.certainty), 0U);
    EXPECT_FALSE(is_provisional(stored().certainty));
}

TEST_F(ProvisionalWinner, CountsOneTryForTheSizesAroundACall) {
    const auto tries = [&] {
        tune_around(engine()->tuner(), task(), {.budget = options_.budget}, {});
        return tries_of(stored().certainty);
    };
    EXPECT_EQ(tries(), 1U);
    EXPECT_EQ(tries(), 2U);
}

TEST_F(ProvisionalWinner, LeavesNoContendedTimesToTheNextSearch) {
    tune(2);
    const auto history = [&] {
        SearchPlan plan;
        const auto engine = this->engine();
        recall(*engine->store(), RecordMaker(task()), {}, plan);
        return plan.history.size();
    };
    EXPECT_EQ(history(), 0U);
    tune(2);
    EXPECT_EQ(history(), 2U) << "the machine is never quiet";
}

TEST_F(ProvisionalWinner, IsNoneOnAQuietMachineWhereTheNextSearchGoesOnUnlessItIsAnew) {
    make_quiet();
    EXPECT_EQ(tune(2).history.size(), 0U);
    EXPECT_EQ(tune(4).history.size(), 2U) << "the report names what it built on";
    const auto history = [&](bool anew) {
        SearchPlan plan;
        plan.anew = anew;
        const auto engine = this->engine();
        recall(*engine->store(), RecordMaker(task()), {}, plan);
        return plan.history.size();
    };
    EXPECT_EQ(history(false), 4U);
    EXPECT_EQ(history(true), 0U);
}

TEST_F(ProvisionalWinner, IsOnTheWorkListUntilItIsKept) {
    const auto listed = [&] {
        const auto engine = this->engine();
        call(*engine, 1000);
        engine->finish();
        return engine->store()->calls().misses().size();
    };
    tune();
    EXPECT_EQ(listed(), 1U);
    tune();
    EXPECT_EQ(listed(), 0U);
}

TEST_F(ProvisionalWinner, IsTunedAgainInTheBackgroundOnceTheDeviceIsQuiet) {
    tune();
    make_quiet();
    device_.use = 0.5;
    {
        const auto engine = this->engine(TunePolicy::background);
        call(*engine, 1000);
        let_look();
        EXPECT_EQ(engine->counters().tunings, 0);
        EXPECT_EQ(engine->counters().pending, 0) << "no call waits for it";
    }
    device_.use = 0;
    const auto engine = this->engine(TunePolicy::background);
    call(*engine, 1000);
    await([&] { return engine->counters().replaced == 1; });
    EXPECT_EQ(info(*engine).origin, Origin::tuned);
    EXPECT_FALSE(is_provisional(stored().certainty));
    EXPECT_EQ(engine->counters().tunings, 1);
}

}  // namespace
}  // namespace jitune::internal
