// SPDX-License-Identifier: Apache-2.0
#include "dispatch/explorer.hpp"

#include <unistd.h>

#include <chrono>
#include <thread>

#include "fixtures/call_fixture.hpp"

namespace jitune::internal {
namespace {

constexpr const char* kNear = "block=256 items=4";
constexpr double kMs = 1e6;  // so long that the time of the calling thread does not count

class ExplorerTest : public CallFixture {
protected:
    ExplorerTest() : CallFixture(TunePolicy::background) {
        device_.info_.uuid = fmt::format("test-{}", ::getpid());  // a lock of its own
        device_.on(fake_sum(256, 4)).ns = 410;                    // the winner takes 400
        options_.worker = "none";
        options_.tune_on_busy_gpu = true;
        options_.explore_share = 0.1;
        options_.watch_winners = false;  // calls take far longer than was stored
        answer(*engine(TunePolicy::now));
        device_.call_ns = [this](const std::string& expression) {
            return kMs * (expression.empty()               ? 5
                          : expression == fake_sum(128, 4) ? 400
                                                           : near_ms_.load());
        };
    }
    void TearDown() override {
        std::filesystem::remove("/tmp/jitune-background-" + device_.info_.uuid + ".lock");
        std::filesystem::remove("/tmp/jitune-" + device_.info_.uuid + ".lock");
    }

    std::unique_ptr<TuningStore> store() {
        return TuningStore::open(options_.database, TuningStore::Access::read_write, Log());
    }

    /// Calls until something holds, but not for ever. Every call has the right result.
    template <class Condition>
    void call_until(Engine& engine, const Condition& condition, std::int64_t n = 1000) {
        const std::vector<std::int32_t> ones(static_cast<std::size_t>(n), 1);
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!condition() && std::chrono::steady_clock::now() < end) {
            for (int i = 0; i < 1000; ++i) {
                std::int32_t sum = 0;
                launch(engine, device_.site(), SumCall(kernel_, ones, sum), nullptr);
                ASSERT_EQ(sum, n);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        ASSERT_TRUE(condition());
    }
    /// Longer than the background sleeps.
    void call_for_a_while(Engine& engine) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1200);
        call_until(engine, [&] { return std::chrono::steady_clock::now() >= end; });
    }
    /// The ledger that a session leaves which has made so many tries.
    std::vector<Exploration> ledger_after(std::int64_t tries) {
        auto engine = this->engine();
        call_until(*engine, [&] { return engine->counters().explored >= tries; });
        engine.reset();
        return store()->explorations();
    }

    std::atomic<double> near_ms_ = 300;
};

TEST_F(ExplorerTest, PutsWhatIsFasterInCallsInTheWinnersPlaceAtTheirSizes) {
    device_.on(fake_sum(256, 4)).ns = 390;  // in a race it is about as fast as the winner
    device_.on(fake_sum(128, 4)).ns = 390;
    auto engine = this->engine();
    call_until(
        *engine, [&] { return engine->counters().replaced == 1; }, 1010);
    EXPECT_EQ(info(*engine, 1010).configuration, kNear);
    EXPECT_EQ(info(*engine, 1000).configuration, kFastest) << "nothing is known of other sizes";
    EXPECT_EQ(engine->counters().raced, 1);
    engine.reset();
    const std::vector<Exploration> ledger = store()->explorations();
    ASSERT_FALSE(ledger.empty());
    EXPECT_EQ(ledger[0].outcome, Exploration::kFaster);
    EXPECT_EQ(ledger[0].configuration, kNear);
    EXPECT_EQ(ledger[0].winner, kFastest);
    EXPECT_EQ(ledger[0].sizes, "n=1010");
    EXPECT_EQ(ledger[0].tries, 16) << "eight rounds, when it looks first";
    EXPECT_EQ(ledger[0].cost_ns, 16 * 605 * kMs);
    EXPECT_EQ(ledger[0].served_ns, 400 * kMs);
    EXPECT_EQ(ledger[0].tried_ns, 300 * kMs);
    EXPECT_NEAR(ledger[0].ratio_high, 0.75, 1e-9);
}

TEST_F(ExplorerTest, ARaceThatSaysOtherwiseEndsIt) {
    device_.on(fake_sum(256, 4)).ns = 900;
    auto engine = this->engine();
    call_until(*engine, [&] { return engine->counters().raced == 1; });
    engine.reset();
    ASSERT_EQ(store()->winners().size(), 1U);
    EXPECT_EQ(store()->winners()[0].configuration, kFastest);
    EXPECT_TRUE(store()->doubts().empty());
    const std::vector<Exploration> ledger = store()->explorations();
    ASSERT_EQ(ledger.size(), 1U);
    EXPECT_EQ(ledger[0].outcome, Exploration::kSlower);
    EXPECT_EQ(ledger[0].reason, "not in a race of its own");
    EXPECT_EQ(ledger[0].tries, 16);
    engine = this->engine();
    call_for_a_while(*engine);
    EXPECT_EQ(engine->counters().explored, 0) << "a later session knows";
}

TEST_F(ExplorerTest, StaysWithinItsShareOfTheCallsTime) {
    options_.explore_share = 0.001;
    near_ms_ = 399;
    auto engine = this->engine();
    const std::int64_t calls = 9000;
    const std::vector<std::int32_t> ones(1000, 1);
    for (std::int64_t i = 0; i < calls; ++i) {
        std::int32_t sum = 0;
        launch(*engine, device_.site(), SumCall(kernel_, ones, sum), nullptr);
        if (i % 500 == 0) {  // a try each time, if it might
            std::this_thread::sleep_for(std::chrono::milliseconds(i < 2000 ? 200 : 60));
        }
    }
    EXPECT_GE(engine->counters().explored, 3);
    engine.reset();
    const std::vector<Exploration> ledger = store()->explorations();
    ASSERT_EQ(ledger.size(), 1U);
    EXPECT_LE(ledger[0].cost_ns, 0.001 * static_cast<double>(calls) * 400 * kMs);
}

TEST_F(ExplorerTest, KeepsTheWinnerWhereNothingIsFasterByTwoInAHundred) {
    near_ms_ = 397;
    auto engine = this->engine();
    call_until(*engine, [&] { return engine->counters().explored >= 16; });
    engine.reset();
    const std::vector<Exploration> ledger = store()->explorations();
    ASSERT_EQ(ledger.size(), 1U);
    EXPECT_EQ(ledger[0].outcome, Exploration::kSlower);
    EXPECT_TRUE(store()->doubts().empty());
}

TEST_F(ExplorerTest, EndsWithAConfigurationWhoseResultDiffers) {
    device_.on(fake_sum(256, 4)).run = wrong_sum;
    const std::vector<Exploration> ledger = ledger_after(1);
    ASSERT_EQ(ledger.size(), 1U);
    EXPECT_EQ(ledger[0].outcome, Exploration::kDiffers);
    EXPECT_EQ(ledger[0].reason, "result[0]: got 1001, expected 1000");
    EXPECT_EQ(ledger[0].tries, 1);
}

TEST_F(ExplorerTest, EndsWithAConfigurationThatFails) {
    device_.on(fake_sum(256, 4)).run_failure = LaunchFailure{.reason = "out of registers"};
    const std::vector<Exploration> ledger = ledger_after(1);
    ASSERT_EQ(ledger.size(), 1U);
    EXPECT_EQ(ledger[0].outcome, Exploration::kFailed);
    EXPECT_EQ(ledger[0].reason, "out of registers");
}

TEST_F(ExplorerTest, EndsWithAConfigurationThatDoesNotCompile) {
    device_.on(fake_sum(256, 4)).compile_log = "error: no";
    auto engine = this->engine();
    call_until(*engine, [&] {
        const auto ledger = store()->explorations();
        return !ledger.empty() && ledger[0].outcome == Exploration::kFailed;
    });
    EXPECT_EQ(engine->counters().explored, 0);
}

TEST_F(ExplorerTest, TriesNothingWhereItMayNot) {
    const auto expect_none = [&](const char* what) {
        const auto engine = this->engine();
        call_for_a_while(*engine);
        EXPECT_EQ(engine->counters().explored, 0) << what;
    };
    device_.may_time = false;
    expect_none("such as in a capture");
    device_.may_time = true;
    options_.frozen = true;
    expect_none("a frozen table");
    options_.frozen = false;
    options_.on_miss = TunePolicy::offline;
    expect_none("another policy");
    options_.on_miss = TunePolicy::background;
    options_.explore_share = 0;
    expect_none("as usual");
}

TEST_F(ExplorerTest, TriesNothingBesideACallWhoseOutputIsItsInput) {
    auto engine = this->engine();
    std::vector<std::int32_t> ones(1000, 1);
    call_until(*engine, [&] { return engine->counters().explored >= 1; });
    engine.reset();
    const std::int64_t before = store()->explorations().at(0).tries;
    engine = this->engine();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (std::chrono::steady_clock::now() < end) {
        ones[0] = 1;
        launch(*engine, device_.site(), SumCall(kernel_, ones, ones[0]), nullptr);
        ASSERT_EQ(ones[0], 1000);
    }
    engine.reset();
    EXPECT_EQ(store()->explorations().at(0).tries, before);
}

}  // namespace
}  // namespace jitune::internal
