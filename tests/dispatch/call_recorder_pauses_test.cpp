// SPDX-License-Identifier: Apache-2.0
#include "dispatch/observe/call_recorder.hpp"

#include <unistd.h>

#include <atomic>

#include "fixtures/call_fixture.hpp"

namespace jitune::internal {
namespace {

class CallRecorderPausesTest : public CallFixture {
protected:
    CallRecorderPausesTest() : CallFixture(TunePolicy::now) { options_.worker = "none"; }
};

TEST_F(CallRecorderPausesTest, HasTheCallThatWaitedLongestAndItsReason) {
    device_.before_sample = [&] { clock_.advance(std::chrono::milliseconds(2)); };
    const auto engine = this->engine();
    EXPECT_EQ(engine->counters().pauses, 0);
    EXPECT_EQ(engine->counters().longest_pause_of, "");
    call(*engine, 1000);
    const Counters counters = engine->counters();
    EXPECT_EQ(counters.pauses, 1);
    EXPECT_GE(counters.longest_pause, std::chrono::milliseconds(2));
    EXPECT_EQ(counters.longest_pause_of, "sum n=1000 on " + device_.info().id + ": tuned");
    call(*engine, 1000);
    EXPECT_EQ(engine->counters().pauses, 1) << "it is in memory";
}

TEST_F(CallRecorderPausesTest, KeepsTheLongestOfSeveral) {
    using std::chrono::seconds;
    const auto engine = this->engine();
    const Resolved& tuned = answer(*engine);
    const Log log;
    SessionStore store(options_, log);
    WinnerWatch watch(options_, log, store);
    CallRecorder recorder(options_, log, store, watch);
    const auto add = [&](std::int64_t n, seconds waited) {
        recorder.note_pause({device_, kernel_, fake_sum_problem(n)}, tuned, waited);
    };
    add(10, seconds(100));
    add(20, seconds(300));
    add(30, seconds(200));
    add(40, -seconds(100));  // not even a millisecond
    Counters counters;
    recorder.report(counters);
    EXPECT_EQ(counters.pauses, 3);
    EXPECT_EQ(counters.longest_pause, seconds(300));
    EXPECT_NE(counters.longest_pause_of.find("n=20 "), std::string::npos);
}

TEST_F(CallRecorderPausesTest, ShowsThatNobodyWaitsForATuningInTheBackground) {
    std::atomic<bool> may_sample{false};
    device_.before_sample = [&] { may_sample.wait(false); };
    device_.info_.uuid = fmt::format("pauses-{}", ::getpid());
    options_.tune_on_busy_gpu = true;
    const auto engine = this->engine(TunePolicy::background);
    call(*engine, 1000);
    EXPECT_EQ(engine->counters().longest_pause_of.find("tuned"), std::string::npos);
    may_sample = true;
    may_sample.notify_all();
}

}  // namespace
}  // namespace jitune::internal
