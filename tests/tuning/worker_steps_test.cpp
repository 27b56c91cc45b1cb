// SPDX-License-Identifier: Apache-2.0
#include "tuning/isolation/worker_steps.hpp"

#include <gtest/gtest.h>

#include "tuning/isolation/worker_request.hpp"

namespace jitune::internal {
namespace {

using std::chrono::seconds;

class WorkerStepsTest : public testing::Test {
protected:
    bool compiling(std::int64_t batch, const std::vector<std::string>& configurations,
                   seconds now) {
        Message message;
        MessageWriter(message).integer(batch).texts(configurations);
        return take(worker_messages::kCompiling, message, now);
    }

    bool compiled(std::int64_t batch, seconds now) {
        Message message;
        MessageWriter(message).integer(batch);
        return take(worker_messages::kCompiled, message, now);
    }

    bool take(const char* name, const Message& message, seconds now) {
        MessageReader reader(message);
        return steps_.take(name, reader, now);
    }

    WorkerSteps steps_{seconds(0)};
};

TEST_F(WorkerStepsTest, OverdueBatchesAreThoseThatCompilersHaveHadForTooLong) {
    compiling(1, {"a", "b"}, seconds(0));
    compiling(2, {"c"}, seconds(3));
    compiling(3, {"d"}, seconds(0));
    compiled(3, seconds(4));
    const std::vector<WorkerSteps::Batch> expected{{"a", "b"}};
    EXPECT_EQ(steps_.overdue_batches(seconds(6), seconds(5)), expected);
    EXPECT_EQ(steps_.compiling(), (std::set<std::string>{"a", "b", "c"}));
}

TEST_F(WorkerStepsTest, OnlyALoadRunsCodeOfOthersThatWereCompiledTogether) {
    compiling(1, {"a", "b"}, seconds(0));
    compiling(2, {"c"}, seconds(0));
    take(worker_messages::kLoad, {"a"}, seconds(1));
    EXPECT_TRUE(steps_.loads_code_of_others());
    take(worker_messages::kCheck, {"a"}, seconds(1));
    EXPECT_FALSE(steps_.loads_code_of_others());
    take(worker_messages::kLoad, {"c"}, seconds(2));
    EXPECT_FALSE(steps_.loads_code_of_others());
}

TEST_F(WorkerStepsTest, CountsACandidateOnceOverItsSteps) {
    take(worker_messages::kLoad, {"a"}, seconds(1));
    take(worker_messages::kCheck, {"a"}, seconds(1));
    take(worker_messages::kTime, {"a"}, seconds(1));
    EXPECT_TRUE(steps_.runs_the_first());
    steps_.end_run(seconds(2));
    take(worker_messages::kLoad, {"b"}, seconds(2));
    EXPECT_FALSE(steps_.runs_the_first());
    EXPECT_EQ(steps_.running(), "b");
}

TEST_F(WorkerStepsTest, MessagesAreSignsOfLifeUnlessACandidateRuns) {
    steps_.hear(seconds(8));
    EXPECT_FALSE(steps_.is_silent(seconds(10), seconds(5)));
    EXPECT_TRUE(steps_.is_silent(seconds(14), seconds(5)));
    take(worker_messages::kTime, {"a"}, seconds(20));
    steps_.hear(seconds(24));
    EXPECT_TRUE(steps_.runs_too_long(seconds(26), seconds(5)));
    EXPECT_FALSE(steps_.is_silent(seconds(26), seconds(5)));
}

TEST_F(WorkerStepsTest, NoLimitCountsARest) {
    take(worker_messages::kTime, {"a"}, seconds(1));
    steps_.rest();
    EXPECT_TRUE(steps_.rests());
    EXPECT_EQ(steps_.running(), "");
    steps_.skip_to(seconds(100));
    EXPECT_FALSE(steps_.is_silent(seconds(101), seconds(5)));
    take(worker_messages::kTime, {"a"}, seconds(101));
    EXPECT_FALSE(steps_.rests());
}

TEST_F(WorkerStepsTest, ALongWaitIsForTheRunningCandidateElseForTheOldestCompile) {
    const WatchLimits limits;
    take(worker_messages::kPrepare, {"making the data"}, seconds(0));
    EXPECT_EQ(steps_.long_wait(seconds(9), limits)->subject, "the worker, making the data");
    compiling(1, {"a", "b"}, seconds(10));
    compiling(2, {"c"}, seconds(12));
    EXPECT_FALSE(steps_.long_wait(seconds(14), limits));
    EXPECT_EQ(steps_.long_wait(seconds(15), limits)->subject, "the compiler of a");
    take(worker_messages::kTime, {"d"}, seconds(16));
    EXPECT_FALSE(steps_.long_wait(seconds(20), limits));
    const auto wait = steps_.long_wait(seconds(22), limits);
    EXPECT_EQ(wait->subject, "d");
    EXPECT_EQ(wait->seconds, 6);
    EXPECT_EQ(wait->limit_s, 60);
}

TEST_F(WorkerStepsTest, OtherMessagesAreNoSteps) {
    EXPECT_FALSE(take(worker_messages::kMeasured, {"a"}, seconds(1)));
    EXPECT_EQ(steps_.running(), "");
}

}  // namespace
}  // namespace jitune::internal
