// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/winner_race.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "fixtures/call_fixture.hpp"

namespace jitune::internal {
namespace {

constexpr const char* kRunnerUp = "block=256 items=4";

Measurement timed(const std::string& configuration, const std::vector<double>& samples_ns) {
    Measurement one;
    one.sizes = "n=1000";
    one.configuration = configuration;
    one.samples_ns = samples_ns;
    one.provenance.device_name = "Fake";
    return one;
}

std::vector<double> about(double ns, double scatter = 0.001) {
    std::vector<double> samples_ns;
    for (int i = 0; i < 12; ++i) {
        samples_ns.push_back(ns * (1 + scatter * (i % 3 - 1)));
    }
    return samples_ns;
}

TEST(RaceWinner, IsTheStandingOneUnlessAnotherIsClearlyFaster) {
    EXPECT_EQ(race_winner(std::array{timed("a", about(100)), timed("b", about(90))}, "a"), "b");
    EXPECT_EQ(race_winner(std::array{timed("a", about(100, 0.3)), timed("b", about(101))}, "a"),
              "a");
    EXPECT_EQ(race_winner(std::array{timed("a", about(100)), timed("b", about(200))}, "a"), "a");
    EXPECT_EQ(
        race_winner(
            std::array{timed("a", about(100)), timed("b", about(90)), timed("c", about(80))}, "a"),
        "c");
}

TEST(RaceWinner, IsTheFastestWhereTheStandingOneFails) {
    Measurement failed = timed("a", {});
    failed.verdict = Verdict::crashed;
    EXPECT_EQ(race_winner(std::array{failed, timed("b", about(90)), timed("c", about(80))}, "a"),
              "c");
    EXPECT_EQ(race_winner(std::array{failed}, "a"), std::nullopt);
}

TEST(RunnerUp, IsTheFastestOfTheOthersThatNeverFailed) {
    Winner winner;
    winner.sizes = "n=1000";
    winner.configuration = "a";
    winner.provenance.device_name = "Fake";
    std::vector<Measurement> all{timed("a", about(10)), timed("default", about(20)),
                                 timed("b", about(40)), timed("c", about(30))};
    EXPECT_EQ(runner_up(all, winner, "default"), "c");
    all.push_back(timed("c", about(50)));
    EXPECT_EQ(runner_up(all, winner, "default"), "b") << "the last time counts";
    all.push_back(timed("d", about(1)));
    all.back().sizes = "n=2000";  // where the winner has no time
    all.push_back(timed("b", {}));
    all.back().verdict = Verdict::wrong_result;
    EXPECT_EQ(runner_up(all, winner, "default"), "c");
    all.push_back(timed("a", about(1)));
    all.back().sizes = "n=2000";
    EXPECT_EQ(runner_up(all, winner, "default"), "d");
    EXPECT_EQ(runner_up(std::span(all).first(2), winner, "default"), std::nullopt);
}

class WinnerRaceTest : public CallFixture {
protected:
    WinnerRaceTest() : CallFixture(TunePolicy::background) {
        device_.info_.uuid = fmt::format("test-{}", ::getpid());  // a lock of its own
        device_.on(fake_sum(256, 4)).ns = 410;
        options_.worker = "none";
        options_.tune_on_busy_gpu = true;
        tune();
    }
    void TearDown() override {
        std::filesystem::remove("/tmp/jitune-background-" + device_.info_.uuid + ".lock");
        std::filesystem::remove("/tmp/jitune-" + device_.info_.uuid + ".lock");
    }

    void tune() { tune_before(); }
    std::unique_ptr<TuningStore> store() {
        return TuningStore::open(options_.database, TuningStore::Access::read_write, Log());
    }
    Winner winner() { return store()->winners().at(0); }

    Doubt doubt_at(const std::string& called = "n=1000") {
        const Winner about = winner();
        return {about.key,
                about.sizes,
                about.configuration,
                about.provenance.created_at,
                Doubt::kSlow,
                called,
                "",
                9000,
                420,
                "fake driver 1",
                "Fake",
                1,
                "2026-11-20T16:00:00Z",
                "2026-11-20T16:00:00Z"};
    }
    void record(const Doubt& doubt) { store()->calls().add({.doubts = {doubt}}); }
    RaceReport race(const Doubt& doubt) {
        record(doubt);
        const auto engine = this->engine(TunePolicy::now);
        const RaceReport report =
            engine->tuner().race({device_, kernel_, fake_sum_problem()}, doubt, {});
        EXPECT_EQ(engine->counters().raced, 1);
        EXPECT_EQ(engine->counters().tunings, 0);
        EXPECT_TRUE(store()->calls().doubts().empty());
        return report;
    }
};

TEST_F(WinnerRaceTest, ConfirmsAWinnerThatTakesWhatWasStored) {
    device_.on(fake_sum(128, 4)).ns = 405;
    const std::string covers = winner().range.covers;
    EXPECT_EQ(race(doubt_at()).outcome, RaceReport::Outcome::confirmed);
    ASSERT_EQ(store()->winners().size(), 1U);
    EXPECT_EQ(winner().configuration, kFastest);
    EXPECT_EQ(winner().median_ns, 405) << "as measured now";
    EXPECT_EQ(winner().range.covers, covers);
}

TEST_F(WinnerRaceTest, ReplacesAWinnerByTheFasterRunnerUp) {
    device_.on(fake_sum(128, 4)).ns = 900;
    EXPECT_EQ(race(doubt_at()).outcome, RaceReport::Outcome::replaced);
    ASSERT_EQ(store()->winners().size(), 1U);
    EXPECT_EQ(winner().configuration, kRunnerUp);
    EXPECT_EQ(winner().median_ns, 410);
    EXPECT_TRUE(store()->find(winner().key, Sizes{1010})) << "it has the range";
    EXPECT_EQ(store()->with_image(winner())->symbols, std::vector{fake_sum(256, 4)});
}

TEST_F(WinnerRaceTest, SaysThatNoneIsAsFastAsWasStored) {
    device_.on(fake_sum(128, 4)).ns = 900;
    device_.on(fake_sum(256, 4)).ns = 1200;
    EXPECT_EQ(race(doubt_at()).outcome, RaceReport::Outcome::slower);
    EXPECT_EQ(winner().configuration, kFastest);
    EXPECT_EQ(winner().median_ns, 900);
}

TEST_F(WinnerRaceTest, RacesAtTheSizesOfTheCallsToo) {
    const auto compared_there = [&] {
        const std::vector<Measurement> all = store()->measurements().comparisons(winner().key);
        return std::count_if(all.begin(), all.end(),
                             [](const Measurement& one) { return one.sizes == "n=1010"; });
    };
    ASSERT_EQ(compared_there(), 0);
    const RaceReport report = race(doubt_at("n=1010"));
    EXPECT_EQ(report.outcome, RaceReport::Outcome::confirmed);
    EXPECT_EQ(report.winners.size(), 1U) << "the same one wins at both sizes";
    EXPECT_EQ(compared_there(), 3) << "the winner, the runner-up and the default";
}

TEST_F(WinnerRaceTest, LeavesARowAloneThatHasReplacedTheOneInDoubt) {
    Doubt doubt = doubt_at();
    doubt.winner_at = "2026-11-20T16:00:00Z";
    const auto engine = this->engine(TunePolicy::now);
    EXPECT_EQ(engine->tuner().race({device_, kernel_, fake_sum_problem()}, doubt, {}).outcome,
              RaceReport::Outcome::gone);
    EXPECT_EQ(engine->counters().raced, 0);
}

TEST_F(WinnerRaceTest, KeepsTheDoubtWhereItIsStopped) {
    const std::atomic<bool> stop{true};
    record(doubt_at());
    const auto engine = this->engine(TunePolicy::now);
    expect_error(ErrorKind::unavailable, "stopped", [&] {
        engine->tuner().race({device_, kernel_, fake_sum_problem()}, doubt_at(), {.stop = &stop});
    });
    EXPECT_EQ(store()->calls().doubts().size(), 1U);
}

TEST_F(WinnerRaceTest, TheBackgroundReplacesAnAnswerBeforeAnythingIsTuned) {
    device_.on(fake_sum(128, 4)).ns = 900;
    record(doubt_at());
    const auto engine = this->engine();
    EXPECT_EQ(info(*engine).configuration, kFastest) << "it answers meanwhile";
    await([&] { return engine->counters().replaced == 1; });
    EXPECT_EQ(info(*engine).configuration, kRunnerUp);
    EXPECT_EQ(engine->counters().raced, 1);
    EXPECT_EQ(engine->counters().tunings, 0);
}

TEST_F(WinnerRaceTest, TheBackgroundTunesWhatNoRacerConfirms) {
    device_.on(fake_sum(128, 4)).ns = 900;
    device_.on(fake_sum(256, 4)).ns = 1200;
    device_.on(fake_sum(32, 1)).ns = 500;
    record(doubt_at());
    const auto engine = this->engine();
    info(*engine);
    await([&] { return engine->counters().tunings == 1 && engine->counters().pending == 0; });
    EXPECT_EQ(engine->counters().raced, 1);
    EXPECT_EQ(info(*engine).configuration, "block=32 items=1");
}

TEST_F(WinnerRaceTest, TheBackgroundRacesWhatItDoubtsItself) {
    device_.info_.driver = "fake driver 2";
    const auto engine = this->engine();
    info(*engine);
    await([&] { return engine->counters().raced == 1; });
    EXPECT_EQ(winner().provenance.driver, "fake driver 2");
    EXPECT_EQ(engine->counters().doubted, 1);
}

TEST_F(WinnerRaceTest, OtherPoliciesRaceNothing) {
    record(doubt_at());
    for (const TunePolicy policy : {TunePolicy::now, TunePolicy::offline}) {
        auto engine = this->engine(policy);
        info(*engine);
        engine.reset();
        EXPECT_EQ(store()->calls().doubts().size(), 1U);
    }
}

}  // namespace
}  // namespace jitune::internal
