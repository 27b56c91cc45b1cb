// SPDX-License-Identifier: Apache-2.0
#include "dispatch/observe/winner_watch.hpp"

#include <utility>

#include "fixtures/call_fixture.hpp"

namespace jitune::internal {
namespace {

constexpr int kPerSample = static_cast<int>(WinnerWatch::kCallsPerSample);
/// Enough calls for a batch more than a doubt needs: samples come with reports of up to 1024 calls.
constexpr int kEnough =
    static_cast<int>(ServedTimes::kBatch) * (ServedTimes::kBatches + 1) * (kPerSample + 1024);

class WinnerWatchTest : public CallFixture {
protected:
    WinnerWatchTest() : CallFixture(TunePolicy::offline) {
        device_.call_ns = [this](const std::string&) { return served_ns_.load(); };
    }

    void tune() { tune_before(); }

    /// As call(), with less around it.
    void calls(Engine& engine, int count, std::int64_t n = 1000) {
        const std::vector<std::int32_t> ones(static_cast<std::size_t>(n), 1);
        std::int32_t sum = 0;
        const SumCall call(kernel_, ones, sum);
        for (int i = 0; i < count; ++i) {
            launch(engine, device_.site(), call, nullptr);
        }
    }
    /// The doubts that a session leaves behind after so many calls.
    std::vector<Doubt> doubts_after(int count, std::int64_t n = 1000) {
        auto engine = this->engine();
        calls(*engine, count, n);
        engine.reset();
        return TuningStore::open(options_.database, TuningStore::Access::read_only, Log())
            ->calls()
            .doubts();
    }

    std::atomic<double> served_ns_ = 60'000;  // stored: 400 ns
};

TEST_F(WinnerWatchTest, TimesAtMostOneCallInTenThousand) {
    tune();
    const auto engine = this->engine();
    calls(*engine, kPerSample - 1);
    EXPECT_EQ(device_.timed_calls(), 0);
    calls(*engine, 9 * kPerSample + 1);
    EXPECT_GT(device_.timed_calls(), 5);
    EXPECT_LE(device_.timed_calls(), 10);
    EXPECT_EQ(engine->counters().sampled, device_.timed_calls());
    EXPECT_EQ(engine->counters().doubted, 0);
}

TEST_F(WinnerWatchTest, DoubtsAWinnerWhoseCallsAreSlowAgainAndAgain) {
    tune();
    EXPECT_TRUE(doubts_after(3 * kPerSample).empty());
    const std::vector<Doubt> doubts = doubts_after(kEnough);
    ASSERT_EQ(doubts.size(), 1U);
    EXPECT_EQ(doubts[0].reason, Doubt::kSlow);
    EXPECT_EQ(doubts[0].called, "n=1000");
    EXPECT_EQ(doubts[0].served_ns, 60'000);
    EXPECT_EQ(doubts[0].expected_ns, 400);
    EXPECT_EQ(doubts[0].spec(), kernel_.spec);
    EXPECT_EQ(doubts[0].reports, 1) << "once in a session";
    EXPECT_TRUE(has_warned());
}

TEST_F(WinnerWatchTest, CallsAtOtherSizesOfTheRangeAreExpectedToTakeWhatComparisonsSay) {
    tune();
    const std::vector<Doubt> doubts = doubts_after(kEnough, 1010);
    ASSERT_EQ(doubts.size(), 1U);
    EXPECT_EQ(doubts[0].called, "n=1010");
    EXPECT_NEAR(doubts[0].expected_ns, 440, 1) << "an estimate may be wrong by a tenth";
}

TEST_F(WinnerWatchTest, DoubtsNothingThatTakesWhatItShould) {
    tune();
    served_ns_ = 5000;
    EXPECT_TRUE(doubts_after(kEnough).empty());
    EXPECT_FALSE(has_warned());
}

TEST_F(WinnerWatchTest, TimesNoCallThatNoWinnerServes) {
    const auto engine = this->engine();
    calls(*engine, 3 * kPerSample);
    EXPECT_EQ(device_.timed_calls(), 0);
}

TEST_F(WinnerWatchTest, TimesNothingWhereItMayNot) {
    tune();
    options_.watch_winners = false;
    EXPECT_TRUE(doubts_after(3 * kPerSample).empty());
    EXPECT_EQ(device_.timed_calls(), 0);
}

TEST_F(WinnerWatchTest, AFrozenSessionSaysItAndWritesNothing) {
    tune();
    options_.frozen = true;
    EXPECT_TRUE(doubts_after(kEnough).empty());
    ASSERT_TRUE(has_warned());
    EXPECT_NE(warnings_[0].find("is in doubt: calls at n=1000 took 60 us"), std::string::npos)
        << warnings_[0];
}

TEST_F(WinnerWatchTest, DoubtsWhatWasTunedWithAnotherDriver) {
    tune();
    EXPECT_TRUE(doubts_after(1).empty());
    device_.info_.driver = "fake driver 2";
    const std::vector<Doubt> doubts = doubts_after(1);
    ASSERT_EQ(doubts.size(), 1U);
    EXPECT_EQ(doubts[0].reason, Doubt::kDriver);
    EXPECT_EQ(doubts[0].driver, "fake driver 2");
    EXPECT_EQ(doubts[0].served_ns, 0);
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_NE(warnings_[0].find("not raced since the driver became fake driver 2"),
              std::string::npos)
        << warnings_[0];
}

TEST_F(WinnerWatchTest, DoubtsAnAnswerOnce) {
    tune();
    const auto engine = this->engine();
    const Resolved& answer = this->answer(*engine);
    const Log log(LogLevel::off);
    SessionStore store(options_, log);
    WinnerWatch watch(options_, log, store);
    ASSERT_TRUE(watch.note({device_, kernel_, fake_sum_problem()}, answer));
    const std::vector<std::int32_t> ones(1000, 1);
    std::int32_t sum = 0;
    const SumCall call(kernel_, ones, sum);
    CallMemo memo;
    const ReadyLaunch& ready =
        memo.prepare(call.memo_key(device_.site()), call.sizes(), answer, device_.site());
    const auto doubts = [&] {
        for (std::size_t i = 0; i < ServedTimes::kBatch * ServedTimes::kBatches; ++i) {
            watch.launch(answer, call.sizes(), ready, call.arguments().data(), nullptr);
            EXPECT_EQ(std::exchange(sum, 0), 1000);
        }
        return watch.judge();
    };
    const std::vector<Doubt> first = doubts();
    ASSERT_EQ(first.size(), 1U);
    EXPECT_TRUE(doubts().empty()) << "the race that it leads to decides";
    EXPECT_EQ(watch.doubted(), 1);
}

}  // namespace
}  // namespace jitune::internal
