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
        tune_before();
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
    EXPECT_EQ(ledger[0].outcome, Exploration::kReplaced);
    EXPECT_EQ(ledger[0].configuration, kNear);
    EXPECT_EQ(ledger[0].winner, kFastest);
    EXPECT_EQ(ledger[0].sizes, "n=1010");
    EXPECT_EQ(ledger[0].tries, 8) << "rounds, when it looks first";
    EXPECT_EQ(ledger[0].cost_ns, 8 * (300 + 300 + 305) * kMs);
    EXPECT_EQ(ledger[0].served_ns, 400 * kMs);
    EXPECT_EQ(ledger[0].tried_ns, 300 * kMs);
    EXPECT_NEAR(ledger[0].ratio_high, 0.75, 1e-9);
}

TEST_F(ExplorerTest, ADisturbedRaceTakesNoPlace) {
    device_.on(fake_sum(256, 4)).ns = 390;
    device_.on(fake_sum(128, 4)).ns = 390;
    device_.processor_use = [] {
        ProcessorUse use{};
        use.slowdown = 2;
        return std::optional(use);
    };
    auto engine = this->engine();
    call_until(
        *engine, [&] { return engine->counters().raced == 1; }, 1010);
    EXPECT_EQ(info(*engine, 1010).configuration, kFastest);
    EXPECT_EQ(engine->counters().replaced, 0);
    engine.reset();
    const std::vector<Exploration> ledger = store()->explorations();
    ASSERT_FALSE(ledger.empty());
    EXPECT_EQ(ledger[0].outcome, Exploration::kSlower) << "it is not raced for ever";
    EXPECT_EQ(ledger[0].reason, "the race was disturbed");
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
    EXPECT_EQ(ledger[0].reason, "not in a race");
    EXPECT_EQ(ledger[0].tries, 8);
    engine = this->engine();
    call_for_a_while(*engine);
    EXPECT_EQ(engine->counters().explored, 0) << "a later session knows";
}

TEST_F(ExplorerTest, StaysWithinItsShareOfTheCallsTime) {
    options_.explore_share = 0.001;
    near_ms_ = 399;
    auto engine = this->engine();
    std::int64_t calls = 0;
    const std::vector<std::int32_t> ones(1000, 1);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (engine->counters().explored < 2 && std::chrono::steady_clock::now() < end) {
        for (int i = 0; i < 500; ++i, ++calls) {
            std::int32_t sum = 0;
            launch(*engine, device_.site(), SumCall(kernel_, ones, sum), nullptr);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(30));  // a try each time, if it might
    }
    EXPECT_GE(engine->counters().explored, 2);
    engine.reset();
    const std::vector<Exploration> ledger = store()->explorations();
    ASSERT_EQ(ledger.size(), 1U);
    EXPECT_LE(ledger[0].cost_ns, 0.001 * static_cast<double>(calls) * 400 * kMs);
}

TEST_F(ExplorerTest, KeepsTheWinnerWhereNothingIsFasterByTwoInAHundred) {
    near_ms_ = 397;
    auto engine = this->engine();
    call_until(*engine, [&] { return engine->counters().explored >= 8; });
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
    auto engine = this->engine();
    call_for_a_while(*engine);
    EXPECT_EQ(engine->counters().explored, 0);
    engine.reset();
    const std::vector<Exploration> ledger = store()->explorations();
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
    near_ms_ = 392;  // takes all rounds to tell
    auto engine = this->engine();
    std::vector<std::int32_t> ones(1000, 1);
    call_until(*engine, [&] { return engine->counters().explored >= 1; });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const std::int64_t before = engine->counters().explored;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (std::chrono::steady_clock::now() < end) {
        ones[0] = 1;
        launch(*engine, device_.site(), SumCall(kernel_, ones, ones[0]), nullptr);
        ASSERT_EQ(ones[0], 1000);
    }
    EXPECT_EQ(engine->counters().explored, before);
    call_until(*engine, [&] { return engine->counters().explored > before; });
}

TEST_F(ExplorerTest, ErrorsThatMayPassAreNoOutcome) {
    device_.before_compile = [](auto) { throw Error(ErrorKind::unavailable, "no compiler today"); };
    auto engine = this->engine();
    call_for_a_while(*engine);
    engine.reset();
    EXPECT_TRUE(store()->explorations().empty());
    device_.before_compile = nullptr;
    EXPECT_FALSE(ledger_after(1).empty()) << "a later session finds it otherwise";
}

}  // namespace
}  // namespace jitune::internal
