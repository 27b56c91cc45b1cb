// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dispatch/session_access.hpp"
#include "fixtures/engine_fixture.hpp"
#include "tuner_db/winners/coverage.hpp"

namespace jitune::internal {
namespace {

/// The frozen session's table holds the winner for n = 1000.
class EngineFrozen : public EngineFixture {
protected:
    EngineFrozen() {
        tune_before();
        warnings_.clear();
        options_.frozen = true;
    }

    [[nodiscard]] Task task(const Problem& problem) { return {device_, kernel_, problem}; }

    /// Every file beside the database, with its time.
    [[nodiscard]] auto files() const {
        std::map<std::filesystem::path, std::filesystem::file_time_type> times;
        for (const auto& entry : std::filesystem::directory_iterator(dir_.path())) {
            times.emplace(entry.path(), entry.last_write_time());
        }
        return times;
    }

    [[nodiscard]] std::string warnings() const {
        return fmt::format("{}", fmt::join(warnings_, "\n"));
    }
};

TEST_F(EngineFrozen, ServesStoredWinnersAndElseTheDefault) {
    for (const TunePolicy policy : {TunePolicy::now, TunePolicy::offline}) {
        options_.on_miss = policy;
        const auto before = files();
        const auto engine = make_engine();
        EXPECT_EQ(info(*engine).origin, Origin::stored);
        EXPECT_EQ(engine->counters().unserved, 0);
        EXPECT_EQ(info(*engine, 1 << 16).origin, Origin::template_default);
        expect_right(resolve(*engine, 1 << 16), 1 << 16);
        EXPECT_EQ(info(*engine, 1 << 20).origin, Origin::template_default);
        EXPECT_EQ(engine->counters().unserved, 2);
        EXPECT_EQ(engine->counters().tunings, 0);
        EXPECT_EQ(files(), before);
    }
}

TEST_F(EngineFrozen, SaysAtItsEndHowManyProblemsItDidNotServe) {
    info(*make_engine());
    EXPECT_EQ(warnings(), "");
    info(*make_engine(), 1 << 16);
    EXPECT_EQ(warnings(),
              "the frozen table did not serve 1 problem; the template's defaults answered: tune "
              "them ahead with `jitune sweep`");
    warnings_.clear();
    {
        const auto engine = make_engine();
        info(*engine, 1 << 16);
        info(*engine, 1 << 20);
        EXPECT_EQ(warnings(), "");
    }
    EXPECT_NE(warnings().find("did not serve 2 problems"), std::string::npos) << warnings();
}

TEST_F(EngineFrozen, CountsAProblemOnceHoweverManyThreadsCall) {
    const auto engine = make_engine();
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&] { resolve(*engine, 1 << 16); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(engine->counters().unserved, 1);
}

TEST_F(EngineFrozen, DoesNotServeAnUnsureWinner) {
    options_.frozen = false;
    const Problem problem = fake_sum_problem();
    const RecordKey key = kernel_.kernel_template.key(problem, device_.info());
    Winner winner = make_engine()->store()->incumbent(key, problem.sizes).value();
    winner.range.unsure = true;
    std::filesystem::remove(options_.database);
    make_engine()->store()->save({}, winner);
    options_.frozen = true;
    EXPECT_EQ(info(*make_engine()).origin, Origin::template_default);
}

TEST_F(EngineFrozen, DoesNotCountPinnedConfigurations) {
    const auto engine = make_engine();
    Problem problem = fake_sum_problem(1 << 16);
    problem.pinned = kFastest;
    EXPECT_EQ(engine->resolve(fake_sum_key(device_, kernel_, problem), task(problem)).info.origin,
              Origin::pinned);
    EXPECT_EQ(engine->counters().unserved, 0);
}

TEST_F(EngineFrozen, RefusesToTune) {
    const auto engine = make_engine();
    const Problem problem = fake_sum_problem();
    const SearchPlan plan;
    expect_error(ErrorKind::usage, "the session is frozen (JITUNE_FROZEN=1",
                 [&] { engine->tuner().tune(task(problem), plan); });
    expect_error(ErrorKind::usage, "frozen",
                 [&] { tune_around(engine->tuner(), task(problem), plan, {}); });
    expect_error(ErrorKind::usage, "frozen", [&] {
        tune_range(engine->tuner(), task(problem), {{1}, {1000}}, plan, {}, Reuse::all);
    });
}

TEST_F(EngineFrozen, NeedsNoWorkerForACallersCode) {
    kernel_.spec = {"fake"};
    kernel_.foreign = true;
    options_.worker = dir_.path() / "no-such-command";
    EXPECT_EQ(info(*make_engine(), 1 << 16).origin, Origin::template_default);
}

TEST_F(EngineFrozen, MakesNoDatabase) {
    std::filesystem::remove(options_.database);
    {
        const auto engine = make_engine();
        EXPECT_EQ(info(*engine).origin, Origin::template_default);
        EXPECT_EQ(engine->counters().unserved, 1);
        expect_error(ErrorKind::store, options_.database.string(),
                     [&] { return engine->table_digest(); });
    }
    EXPECT_FALSE(std::filesystem::exists(options_.database));
    EXPECT_NE(warnings().find("the templates' defaults answer"), std::string::npos) << warnings();
}

TEST_F(EngineFrozen, HasTheDigestOfItsTable) {
    const auto engine = make_engine();
    const auto store =
        TuningStore::open(options_.database, TuningStore::Access::read_only, engine->log());
    EXPECT_EQ(engine->table_digest(), table_digest(store->winners()));
    options_.frozen = false;
    const auto other = make_engine();
    EXPECT_EQ(other->table_digest(), engine->table_digest());
    resolve(*other, 1 << 20);
    EXPECT_EQ(other->table_digest(), engine->table_digest()) << "both read the file";
    EXPECT_NE(engine->table_digest(), table_digest({}));
}

TEST_F(EngineFrozen, AtTheEndOfTheProcessTheStandardSessionReports) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    ASSERT_EQ(setenv("JITUNE_DB", "none", 1), 0);
    ASSERT_EQ(setenv("JITUNE_FROZEN", "1", 1), 0);
    const auto use_and_exit = [&](std::int64_t sizes) {
        for (std::int64_t n = 1; n <= sizes; ++n) {
            resolve(SessionAccess::engine(Session::standard()), n << 16);
        }
        std::exit(0);
    };
    EXPECT_EXIT(use_and_exit(1), testing::ExitedWithCode(0),
                "jitune: warning: the frozen table did not serve 1 problem;");
    EXPECT_EXIT(use_and_exit(0), testing::ExitedWithCode(0), "^$");
    unsetenv("JITUNE_DB");
    unsetenv("JITUNE_FROZEN");
}

}  // namespace
}  // namespace jitune::internal
