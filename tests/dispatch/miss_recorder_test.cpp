// SPDX-License-Identifier: Apache-2.0
#include "dispatch/miss_recorder.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "dispatch/prepared_launch.hpp"
#include "fixtures/call_fixture.hpp"
#include "fixtures/ordinary_user.hpp"
#include "tuner_db/sqlite.hpp"

namespace jitune::internal {
namespace {

class MissRecorderTest : public CallFixture {
protected:
    MissRecorderTest() : CallFixture(TunePolicy::offline) {}

    std::vector<Miss> misses() {
        return TuningStore::open(options_.database, TuningStore::Access::read_write, Log())
            ->misses();
    }
};

TEST_F(MissRecorderTest, RecordsWhatWasCalledAndHowOften) {
    auto engine = this->engine();
    for (int i = 0; i < 7; ++i) {
        call(*engine, 1000);
    }
    call(*engine, 5000);
    engine.reset();
    const std::vector<Miss> misses = this->misses();
    ASSERT_EQ(misses.size(), 2U);
    const Miss& most = misses[0];
    const Task task{device_, kernel_, fake_sum_problem()};
    EXPECT_EQ(most.key, task.key());
    EXPECT_EQ(most.sizes, "n=1000");
    EXPECT_EQ(most.spec(), kernel_.spec);
    EXPECT_EQ(most.origin, "default");
    EXPECT_EQ(most.configuration, task.default_configuration().text());
    EXPECT_EQ(most.calls, 7);
    EXPECT_EQ(most.sessions, 1);
    EXPECT_EQ(misses[1].calls, 1);
}

TEST_F(MissRecorderTest, CountsMostCallsAndNoneTwice) {
    int before = 0;
    for (const int calls : {1, 5, 50, 500, 20'000}) {
        auto engine = this->engine();
        for (int i = 0; i < calls; ++i) {
            call(*engine, 10);
        }
        engine.reset();
        const std::int64_t counted = misses().at(0).calls - before;
        EXPECT_LE(counted, calls);
        EXPECT_GE(counted, std::max(calls - calls / 8, calls - 1024)) << calls;
        before += static_cast<int>(counted);
    }
}

TEST_F(MissRecorderTest, AddsUpSessionsAndCallsOfOtherSizesOfTheAnswer) {
    for (const std::int64_t n : {1001, 1003}) {
        auto engine = this->engine();
        call(*engine, 1000);
        call(*engine, n);
        call(*engine, n + 1);
    }
    ASSERT_EQ(misses().size(), 1U);
    EXPECT_EQ(misses()[0].calls, 6);
    EXPECT_EQ(misses()[0].sessions, 2);
}

TEST_F(MissRecorderTest, RecordsSoonSinceTheProcessMayBeKilled) {
    const auto engine = this->engine();
    call(*engine, 1000);
    await([&] { return misses().size() == 1; });
}

TEST_F(MissRecorderTest, RecordsPreparedHandlesAsOneCall) {
    auto engine = this->engine();
    const std::vector<std::int32_t> ones(1000, 1);
    std::int32_t sum = 0;
    { const PreparedLaunch handle(*engine, device_, SumCall(kernel_, ones, sum)); }
    engine.reset();
    EXPECT_EQ(misses().at(0).calls, 1);
}

TEST_F(MissRecorderTest, RecordsNoCallThatAWinnerServes) {
    auto engine = this->engine(TunePolicy::now);
    call(*engine, 1000);
    engine.reset();
    EXPECT_TRUE(misses().empty());
    engine = this->engine();
    call(*engine, 1000);
    engine.reset();
    EXPECT_TRUE(misses().empty());
}

TEST_F(MissRecorderTest, ForgetsAProblemThatIsTuned) {
    auto engine = this->engine();
    call(*engine, 1000);
    engine.reset();
    EXPECT_EQ(misses().size(), 1U);
    call(*this->engine(TunePolicy::now), 1000);
    EXPECT_TRUE(misses().empty());
}

TEST_F(MissRecorderTest, RecordsNothingWhereItMayNot) {
    engine();
    TuningStore::open(options_.database, TuningStore::Access::read_write, Log());
    const auto records = [&](const Options& options) {
        options_ = options;
        call(*this->engine(), 1000);
        const std::size_t count = misses().size();
        return count;
    };
    Options options = options_;
    options.record_misses = false;
    EXPECT_EQ(records(options), 0U);
    options.record_misses = true;
    options.frozen = true;
    EXPECT_EQ(records(options), 0U);
    options.frozen = false;
    EXPECT_EQ(records(options), 1U);
}

TEST_F(MissRecorderTest, IsSilentWhereTheDatabaseMayOnlyBeRead) {
    tune_before(50'000);
    std::filesystem::permissions(dir_.path(), std::filesystem::perms(0555));
    {
        const OrdinaryUser user(options_.database);
        auto engine = this->engine();
        call(*engine, 1000);
        engine.reset();
    }
    std::filesystem::permissions(dir_.path(), std::filesystem::perms(0700));
    EXPECT_EQ(warnings_, std::vector<std::string>{}) << "calls are served as well as before";
}

TEST_F(MissRecorderTest, RecordsLaterWhatItCouldNotWhileOthersHeldTheDatabase) {
    auto engine = this->engine();
    call(*engine, 1000);
    await([&] { return misses().size() == 1; });
    call(*engine, 1000);
    call(*engine, 50'000);
    {
        sqlite::Connection others(options_.database.string(), sqlite::Connection::Mode::read_write);
        const sqlite::Transaction held(others, sqlite::Transaction::Kind::write);
        await([&] { return engine->counters().store_errors > 0; });
    }
    engine.reset();
    EXPECT_EQ(misses().size(), 2U);
}

TEST_F(MissRecorderTest, TheSessionOfAForkedChildRecordsNothing) {
    auto engine = this->engine();
    call(*engine, 1000);
    const pid_t child = ::fork();
    if (child == 0) {
        engine.reset();
        ::_exit(0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    engine.reset();
    EXPECT_EQ(misses().at(0).calls, 1);
}

}  // namespace
}  // namespace jitune::internal
