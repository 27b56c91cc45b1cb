// SPDX-License-Identifier: Apache-2.0
#include "dispatch/answer/explanation.hpp"

#include <filesystem>
#include <functional>
#include <set>

#include "dispatch/behind/stored_costs.hpp"
#include "fixtures/engine_fixture.hpp"
#include "measure/conditions.hpp"
#include "tuner_db/winners/precedence.hpp"

namespace jitune::internal {
namespace {

class ExplanationTest : public EngineFixture {
protected:
    Explanation explain_for(std::int64_t n) {
        const auto engine = make_engine();
        return explain(*engine, {device_, kernel_, fake_sum_problem(n)});
    }

    /// A winner that differs from that of n = 1000 as `change` says.
    void store_other(const std::function<void(RecordKey&)>& change) {
        const auto engine = make_engine();
        Winner winner =
            *engine->store()->find(kernel_.kernel_template.key(fake_sum_problem(), device_.info()),
                                   fake_sum_problem().sizes);
        change(winner.key);
        engine->store()->save({}, winner);
    }
};

TEST_F(ExplanationTest, SaysWhichRowServes) {
    tune_before(1000);
    tune_before(100'000);
    const Explanation explanation = explain_for(1001);
    ASSERT_EQ(explanation.rows.size(), 2U);
    EXPECT_TRUE(explanation.rows[0].serves);
    EXPECT_EQ(explanation.rows[0].octaves, 0);
    EXPECT_EQ(explanation.rows[0].reason,
              "serves: its range n=862..1217 holds the sizes; less than 0.1 % "
              "slower than the best, with 5 held-out sizes");
    EXPECT_FALSE(explanation.rows[1].serves);
    EXPECT_EQ(explanation.rows[1].reason, "other size, 6.28 octaves away");
    EXPECT_EQ(explanation.answer, std::string("the stored winner answers: ") + kFastest);
    EXPECT_EQ(explanation.key.bucket, 20);
}

TEST_F(ExplanationTest, SaysThatARowIsInDoubt) {
    tune_before(1000);
    const auto store = make_engine();
    const Winner winner = store->store()->winners().at(0);
    store->store()->calls().add(
        {.doubts = {{winner.key, winner.sizes, winner.configuration, winner.provenance.created_at,
                     Doubt::kSlow, "n=1000", "", 900, 420, "fake driver 1", "Fake", 1,
                     "2026-11-20T16:00:00Z", "2026-11-20T16:00:00Z"}}});
    const std::string reason = explain_for(1000).rows.at(0).reason;
    EXPECT_NE(reason.find("; in doubt: calls at n=1000 took 0.9 us"), std::string::npos) << reason;
}

TEST_F(ExplanationTest, SaysThatARowIsPinnedAndWhichObjectiveChoseIt) {
    tune_before(1000);
    const auto engine = make_engine();
    const Task task{device_, kernel_, fake_sum_problem(1000)};
    TuningStore& store = *engine->store();
    Winner winner = store.find(task.key(), task.problem.sizes).value();
    store.pin(winner_id(winner), true);
    EXPECT_TRUE(explain_for(1000).rows.at(0).reason.ends_with("held-out sizes; pinned"));
    store.pin(winner_id(winner), false);
    winner.certainty.conditions += " objective=energy";
    ASSERT_TRUE(store.save_choice(winner, task.problem.sizes));
    const std::string reason = explain_for(1000).rows.at(0).reason;
    EXPECT_TRUE(reason.ends_with("; pinned, chosen by energy")) << reason;
    const std::string far = explain_for(100'000).rows.at(0).reason;
    EXPECT_TRUE(far.ends_with(" octaves away; pinned, chosen by energy")) << far;
}

TEST_F(ExplanationTest, LeavesOutTimesThatOtherProcessesDisturbedUnlessAllWere) {
    tune_before(1000);
    const auto engine = make_engine();
    const Task task{device_, kernel_, fake_sum_problem(1000)};
    std::vector<Measurement> rows = engine->store()->measurements().comparisons(task.key());
    for (Measurement& row : rows) {
        Conditions conditions = Conditions::parse(row.conditions);
        conditions.contended = true;
        row.conditions = conditions.text();
        row.sizes = "n=1200";
        std::fill(row.samples_ns.begin(), row.samples_ns.end(), 1e6);
    }
    engine->store()->save(rows);
    const std::vector<ExplainedCost> costs = explain_for(1200).costs;
    ASSERT_EQ(costs.size(), 2U);
    EXPECT_NEAR(costs[0].ns, 400, 0.01);
    const Winner winner = engine->store()->find(task.key(), task.problem.sizes).value();
    const auto other = TuningStore::open(dir_.path() / "other.db", TuningStore::Access::read_write,
                                         Log(LogLevel::off));
    other->save(rows);
    EXPECT_EQ(compared_times(*other, winner).probes().size(), 1U);
}

TEST_F(ExplanationTest, SaysTheTimesOfTheAlternativesAndWhetherTheyWereMeasured) {
    tune_before(1000);
    const std::vector<ExplainedCost> there = explain_for(1000).costs;
    ASSERT_EQ(there.size(), 2U);
    EXPECT_EQ(there[0].configuration, kFastest);
    EXPECT_EQ(there[0].ns, 400);
    EXPECT_EQ(there[0].octaves, 0);
    EXPECT_FALSE(there[0].is_default);
    EXPECT_EQ(there[1].configuration, kFakeDefault);
    EXPECT_EQ(there[1].ns, 1000);
    EXPECT_TRUE(there[1].is_default);
    const std::vector<ExplainedCost> near = explain_for(1 << 11).costs;
    ASSERT_EQ(near.size(), 2U);
    EXPECT_NEAR(near[0].ns, 400, 0.01);
    EXPECT_GT(near[0].octaves, 0.5);
    EXPECT_EQ(explain_for(1 << 20).costs.size(), 0U) << "nothing near by is known";
}

TEST_F(ExplanationTest, RanksOtherSizesByTheirDistance) {
    tune_before(1 << 10);
    tune_before(1 << 14);
    tune_before(1 << 17);
    options_.on_miss = TunePolicy::offline;
    const Explanation explanation = explain_for(1 << 13);
    ASSERT_EQ(explanation.rows.size(), 3U);
    // Their ranges end a quarter of an octave nearer.
    EXPECT_NEAR(explanation.rows[0].octaves, 0.75, 0.001);
    EXPECT_EQ(explanation.rows[0].reason,
              "nearest stored size: answers; other size, 0.75 octaves away");
    EXPECT_NEAR(explanation.rows[1].octaves, 2.75, 0.001);
    EXPECT_NEAR(explanation.rows[2].octaves, 3.75, 0.001);
    EXPECT_EQ(explanation.answer,
              std::string("no stored winner: the nearest answers: ") + kFastest);
}

TEST_F(ExplanationTest, SaysWhatAFrozenSessionAnswers) {
    tune_before(1000);
    options_.frozen = true;
    EXPECT_EQ(explain_for(1000).answer,
              std::string("the table is frozen: the stored winner answers: ") + kFastest);
    const Explanation missing = explain_for(1 << 20);
    EXPECT_EQ(missing.answer,
              "the table is frozen, and no stored winner: the template's default answers, and the "
              "session counts the problem as unserved");
    EXPECT_EQ(missing.configuration, kFakeDefault);
}

TEST_F(ExplanationTest, SaysTheBoundOfARangeAndWhereItIsUnsure) {
    tune_before(1000);
    const auto explained = [&](const WinnerRange& range) {
        const auto engine = make_engine();
        const Problem problem = fake_sum_problem();
        const RecordKey key = kernel_.kernel_template.key(problem, device_.info());
        Winner winner = engine->store()->incumbent(key, problem.sizes).value();
        winner.range = range;
        winner.provenance.driver += "'";  // an unsure one takes nothing from its own place
        engine->store()->save({}, winner);
        return explain_for(1000);
    };
    const Explanation sure = explained({"n=1..5000", 1.02, 59, false});
    EXPECT_EQ(sure.rows.at(0).reason,
              "serves: its range n=1..5000 holds the sizes; at most 2.0 % slower than the best, "
              "with 59 held-out sizes");
    const Explanation unsure = explained({"n=1..5000", 1.07, 1, true});
    EXPECT_FALSE(unsure.rows.at(0).serves);
    EXPECT_EQ(
        unsure.rows.at(0).reason,
        "nearest stored size: answers only under the policies \"offline\" and \"background\"; "
        "unsure: its range n=1..5000 holds the sizes; at most 7.0 % slower than the best, with 1 "
        "held-out size");
    EXPECT_EQ(unsure.answer,
              "no stored winner: a call waits for up to 60 s until the problem is tuned");
}

TEST_F(ExplanationTest, SaysWhyARowDoesNotServe) {
    tune_before(1000);
    store_other([](RecordKey& key) { key.types = "element=float8"; });
    store_other([](RecordKey& key) { key.device_class = "cuda cc=10"; });
    store_other([](RecordKey& key) {  // of another backend, whose template is another, too
        key.device_class = "host isa=sse2";
        key.template_hash[1] ^= 1;
    });
    store_other([](RecordKey& key) { key.template_hash[0] ^= 1; });
    store_other([](RecordKey& key) { key.alignment = 16; });
    store_other([](RecordKey& key) { key.kernel = "another"; });
    const Explanation explanation = explain_for(1000);
    ASSERT_EQ(explanation.rows.size(), 6U);
    EXPECT_TRUE(explanation.rows[0].serves);
    std::set<std::string> reasons;
    for (const ExplainedRow& row : explanation.rows) {
        reasons.insert(row.reason);
    }
    EXPECT_EQ(reasons, (std::set<std::string>{
                           "serves: its range n=862..1217 holds the sizes; less than "
                           "0.1 % slower than the best, with 5 held-out sizes",
                           "other types or operation: element=float8",
                           "other device class: cuda cc=10", "other device class: host isa=sse2",
                           "made from another kernel template, another version of it, or with "
                           "other compiler options",
                           "for data aligned to 16 bytes"}));
}

TEST_F(ExplanationTest, NeverCallsARowOfAnotherDeviceTheNearest) {
    tune_before(1000);
    store_other([](RecordKey& key) { key.device_class = "cuda cc=10"; });
    device_.info_.device_class = "cuda new";
    options_.on_miss = TunePolicy::offline;
    const Explanation explanation = explain_for(1000);
    ASSERT_EQ(explanation.rows.size(), 2U);
    EXPECT_EQ(explanation.answer, "no stored winner: the template's default answers");
}

TEST_F(ExplanationTest, SaysWhatACallWouldDoWithoutAWinner) {
    EXPECT_EQ(explain_for(1000).answer,
              "no stored winner: a call waits for up to 60 s until the problem is tuned");
    options_.budget = std::chrono::milliseconds(0);
    EXPECT_EQ(explain_for(1000).answer,
              "no stored winner: a call waits until the problem is tuned");
    options_.on_miss = TunePolicy::offline;
    EXPECT_EQ(explain_for(1000).answer, "no stored winner: the template's default answers");
    options_.on_miss = TunePolicy::template_default;
    EXPECT_EQ(explain_for(1000).answer, "no stored winner: the template's default answers");
}

TEST_F(ExplanationTest, ChangesNothing) {
    tune_before(1000);
    const int compiles = device_.compiles();
    const int loads = device_.loads();
    explain_for(1000);
    explain_for(64'000);
    EXPECT_EQ(device_.compiles(), compiles);
    EXPECT_EQ(device_.loads(), loads);
}

TEST_F(ExplanationTest, AgreesWithWhatTheEngineDoes) {
    tune_before(1 << 10);
    options_.on_miss = TunePolicy::offline;
    for (const auto& [n, origin] : {std::pair(1 << 10, Origin::stored),
                                    {1'900, Origin::nearest},
                                    {1 << 14, Origin::template_default}}) {
        const Explanation explanation = explain_for(n);
        EXPECT_EQ(explanation.rows.at(0).serves, origin == Origin::stored) << n;
        EXPECT_EQ(explanation.rows.at(0).is_nearest, origin == Origin::nearest) << n;
        const DispatchInfo answered = info(*make_engine(), n);
        EXPECT_EQ(answered.origin, origin) << n;
        EXPECT_EQ(explanation.configuration, answered.configuration) << n;
    }
}

TEST_F(ExplanationTest, RefusesWithoutADatabaseAndForAWrongProblem) {
    expect_error(ErrorKind::usage, "each at least 1", [&] { explain_for(0); });
    std::filesystem::create_directory(options_.database);
    expect_error(ErrorKind::store, "cannot be opened", [&] { explain_for(1000); });
}

}  // namespace
}  // namespace jitune::internal
