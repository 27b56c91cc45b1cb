// SPDX-License-Identifier: Apache-2.0
#include "dispatch/observe/call_recorder.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "dispatch/answer/prepared_launch.hpp"
#include "fixtures/call_fixture.hpp"
#include "fixtures/ordinary_user.hpp"
#include "tuner_db/file/sqlite.hpp"

namespace jitune::internal {
namespace {

class CallRecorderTest : public CallFixture {
protected:
    CallRecorderTest() : CallFixture(TunePolicy::offline) {}

    std::unique_ptr<TuningStore> store() {
        return TuningStore::open(options_.database, TuningStore::Access::read_write, Log());
    }
    std::vector<CallRecord> misses() { return store()->calls().misses(); }
    std::vector<Winner> winners() { return store()->winners(); }
    /// By their sizes.
    std::vector<CallRecord> usages() {
        std::vector<CallRecord> usages = store()->calls().uses();
        std::ranges::sort(usages, {}, [](const CallRecord& usage) { return usage.sizes; });
        return usages;
    }
};

TEST_F(CallRecorderTest, RecordsWhatWasCalledAndHowOften) {
    auto engine = this->engine();
    for (int i = 0; i < 7; ++i) {
        call(*engine, 1000);
    }
    call(*engine, 5000);
    engine.reset();
    const std::vector<CallRecord> misses = this->misses();
    ASSERT_EQ(misses.size(), 2U);
    const CallRecord& most = misses[0];
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

TEST_F(CallRecorderTest, CountsMostCallsAndNoneTwice) {
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

TEST_F(CallRecorderTest, AddsUpSessionsAndCallsOfOtherSizesOfTheAnswer) {
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

TEST_F(CallRecorderTest, CountsASessionOnceWhereAnotherAnswerTakesOver) {
    const Log log;
    SessionStore store(options_, log);
    WinnerWatch watch(options_, log, store);
    const Task task{device_, kernel_, fake_sum_problem()};
    std::array<Resolved, 3> answers;
    CallRecorder recorder(options_, log, store, watch);
    const auto note = [&](Resolved& answer, std::int64_t calls) {
        answer.calls = calls;
        recorder.note(task, answer);
    };
    note(answers[0], 3);
    await([&] { return misses().size() == 1; });
    note(answers[1], 4);
    note(answers[2], 5);
    recorder.stop();
    ASSERT_EQ(misses().size(), 1U);
    EXPECT_EQ(misses()[0].calls, 12);
    EXPECT_EQ(misses()[0].sessions, 1);
}

TEST_F(CallRecorderTest, RecordsSoonSinceTheProcessMayBeKilled) {
    const auto engine = this->engine();
    call(*engine, 1000);
    await([&] { return misses().size() == 1; });
}

TEST_F(CallRecorderTest, RecordsPreparedHandlesAsOneCall) {
    auto engine = this->engine();
    const std::vector<std::int32_t> ones(1000, 1);
    std::int32_t sum = 0;
    { const PreparedLaunch handle(*engine, device_, SumCall(kernel_, ones, sum)); }
    engine.reset();
    EXPECT_EQ(misses().at(0).calls, 1);
}

TEST_F(CallRecorderTest, RecordsNoCallThatAWinnerServes) {
    auto engine = this->engine(TunePolicy::now);
    call(*engine, 1000);
    engine.reset();
    EXPECT_TRUE(misses().empty());
    engine = this->engine();
    call(*engine, 1000);
    engine.reset();
    EXPECT_TRUE(misses().empty());
}

TEST_F(CallRecorderTest, ForgetsAProblemThatIsTuned) {
    auto engine = this->engine();
    call(*engine, 1000);
    engine.reset();
    EXPECT_EQ(misses().size(), 1U);
    call(*this->engine(TunePolicy::now), 1000);
    EXPECT_TRUE(misses().empty());
}

TEST_F(CallRecorderTest, RecordsNothingWhereItMayNot) {
    engine();
    TuningStore::open(options_.database, TuningStore::Access::read_write, Log());
    const auto records = [&](const Options& options) {
        options_ = options;
        call(*this->engine(), 1000);
        const std::size_t count = misses().size();
        return count;
    };
    Options options = options_;
    options.record = Record::nothing;
    EXPECT_EQ(records(options), 0U);
    options.record = Record::misses;
    options.frozen = true;
    EXPECT_EQ(records(options), 0U);
    options.frozen = false;
    EXPECT_EQ(records(options), 1U);
}

TEST_F(CallRecorderTest, RecordsAllCallsByTheirExactSizesWhereItShall) {
    options_.record = Record::all;
    tune_before();
    auto engine = this->engine();
    call(*engine, 1000);
    call(*engine, 1001);
    call(*engine, 1000);
    engine.reset();
    const std::vector<Winner> winners = this->winners();
    ASSERT_EQ(winners.size(), 1U);
    auto usages = this->usages();
    ASSERT_EQ(usages.size(), 2U);
    EXPECT_EQ(usages[0].sizes, "n=1000");
    EXPECT_EQ(usages[0].calls, 2);
    EXPECT_EQ(usages[1].sizes, "n=1001");
    EXPECT_EQ(usages[1].calls, 1);
    for (const CallRecord& usage : usages) {
        EXPECT_EQ(usage.key, winners[0].key);
        EXPECT_EQ(usage.configuration, winners[0].configuration);
        EXPECT_EQ(usage.winner_at, winners[0].provenance.created_at);
        EXPECT_EQ(usage.origin, "stored");
        EXPECT_EQ(usage.sessions, 1);
    }
    engine = this->engine(TunePolicy::now);
    call(*engine, 1000);
    call(*engine, 100'000);
    engine.reset();
    usages = this->usages();
    ASSERT_EQ(usages.size(), 3U);
    EXPECT_EQ(usages[0].calls, 3);
    EXPECT_EQ(usages[0].sessions, 2);
    EXPECT_EQ(usages[1].sizes, "n=100000");
    EXPECT_EQ(usages[1].origin, "tuned");
    EXPECT_TRUE(misses().empty());
}

TEST_F(CallRecorderTest, RecordsAMissBothWaysAndNoCallTwice) {
    options_.record = Record::all;
    auto engine = this->engine();
    for (int i = 0; i < 3; ++i) {
        call(*engine, 1000);
        call(*engine, 1001);
    }
    await([&] { return !misses().empty(); });
    engine.reset();
    EXPECT_EQ(misses().at(0).calls, 6) << "of all sizes of the answer";
    const std::vector<CallRecord> usages = this->usages();
    ASSERT_EQ(usages.size(), 2U);
    EXPECT_EQ(usages[0].calls, 3);
    EXPECT_EQ(usages[1].calls, 3);
    EXPECT_EQ(usages[0].origin, "default");
    EXPECT_EQ(usages[0].winner_at, "");
}

TEST_F(CallRecorderTest, RecordsAPreparedHandleOfAWinnerAsOneCall) {
    tune_before(1000);
    options_.record = Record::all;
    auto engine = this->engine();
    const std::vector<std::int32_t> ones(1000, 1);
    std::int32_t sum = 0;
    { const PreparedLaunch handle(*engine, device_, SumCall(kernel_, ones, sum)); }
    engine.reset();
    ASSERT_EQ(usages().size(), 1U);
    EXPECT_EQ(usages()[0].calls, 1);
}

TEST_F(CallRecorderTest, RecordsAWinnerThatTookThePlaceOfAnAnswer) {
    options_.record = Record::all;
    options_.worker = "none";
    options_.tune_on_busy_gpu = true;
    device_.info_.uuid = fmt::format("test-{}", ::getpid());  // a lock of its own
    auto engine = this->engine(TunePolicy::background);
    call(*engine, 1000);
    await([&] { return engine->counters().replaced == 1; });
    call(*engine, 1000);
    engine.reset();
    std::vector<std::string> origins;
    for (const CallRecord& usage : usages()) {
        origins.push_back(usage.origin);
    }
    std::ranges::sort(origins);
    EXPECT_EQ(origins, (std::vector<std::string>{"default", "tuned"}));
    std::filesystem::remove("/tmp/jitune-background-" + device_.info_.uuid + ".lock");
    std::filesystem::remove("/tmp/jitune-" + device_.info_.uuid + ".lock");
}

TEST_F(CallRecorderTest, RecordsPauses) {
    device_.before_sample = [&] { clock_.advance(std::chrono::milliseconds(2)); };
    auto engine = this->engine(TunePolicy::now);
    call(*engine, 1000);
    ASSERT_EQ(engine->counters().pauses, 1) << "a tuning takes longer than 1 ms";
    engine.reset();
    const std::vector<Pause> pauses = store()->calls().pauses();
    ASSERT_EQ(pauses.size(), 1U);
    EXPECT_EQ(pauses[0].kernel, "sum");
    EXPECT_EQ(pauses[0].origin, "tuned");
    EXPECT_EQ(pauses[0].pauses, 1);
    EXPECT_EQ(pauses[0].longest_sizes, "n=1000");
}

TEST_F(CallRecorderTest, IsSilentWhereTheDatabaseMayOnlyBeRead) {
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

TEST_F(CallRecorderTest, RecordsLaterWhatItCouldNotWhileOthersHeldTheDatabase) {
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

TEST_F(CallRecorderTest, TheSessionOfAForkedChildRecordsNothing) {
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
