// SPDX-License-Identifier: Apache-2.0
#include "sweep/doubt_races.hpp"

#include "fixtures/engine_fixture.hpp"
#include "support/message.hpp"

namespace jitune::internal {
namespace {

class DoubtRacesTest : public EngineFixture {
protected:
    DoubtRacesTest() {
        resolve(*engine_);
        const Winner winner = engine_->store()->winners().at(0);
        doubt_ = {winner.key,
                  winner.sizes,
                  winner.configuration,
                  winner.provenance.created_at,
                  Doubt::kSlow,
                  "n=1000",
                  frame(kernel_.spec),
                  9000,
                  420,
                  "fake driver 1",
                  "Fake",
                  1,
                  "2026-11-20T16:00:00Z",
                  "2026-11-20T16:00:00Z"};
    }

    std::vector<DoubtRace> race(const Doubt& doubt, const TuneHooks& hooks = {}) {
        engine_->store()->calls().add({.doubts = {doubt}});
        return race_doubts(*engine_, device_, {.budget = options_.budget}, hooks);
    }

    std::unique_ptr<Engine> engine_ = make_engine();
    Doubt doubt_;
};

TEST_F(DoubtRacesTest, RacesWhatTheDatabaseSays) {
    const std::vector<DoubtRace> races = race(doubt_);
    ASSERT_EQ(races.size(), 1U);
    EXPECT_EQ(races[0].error, "");
    EXPECT_EQ(races[0].report.outcome, RaceReport::Outcome::confirmed);
    EXPECT_FALSE(races[0].is_tuned);
    EXPECT_EQ(engine_->counters().tunings, 1) << "the first one";
    EXPECT_TRUE(engine_->store()->calls().doubts().empty());
}

TEST_F(DoubtRacesTest, TunesAgainWhatNoRacerConfirms) {
    device_.on(fake_sum(128, 4)).ns = 900;
    device_.on(fake_sum(32, 1)).ns = 500;
    const std::vector<DoubtRace> races = race(doubt_);
    ASSERT_EQ(races.size(), 1U);
    EXPECT_EQ(races[0].report.outcome, RaceReport::Outcome::slower);
    EXPECT_TRUE(races[0].is_tuned);
    EXPECT_EQ(engine_->store()->find(doubt_.key, Sizes{1000})->configuration, "block=32 items=1");
}

TEST_F(DoubtRacesTest, SaysWhatItCannotRace) {
    doubt_.kernel_spec = frame({"product"});
    const std::vector<DoubtRace> races = race(doubt_);
    ASSERT_EQ(races.size(), 1U);
    EXPECT_NE(races[0].error.find("product"), std::string::npos) << races[0].error;
    EXPECT_EQ(engine_->store()->calls().doubts().size(), 1U);
}

TEST_F(DoubtRacesTest, LeavesOtherClassesOfDevicesAlone) {
    device_.info_.device_class = "another";
    EXPECT_TRUE(race(doubt_).empty());
    EXPECT_EQ(engine_->store()->calls().doubts().size(), 1U);
}

TEST_F(DoubtRacesTest, BeginsNoRaceAfterItsTime) {
    engine_->store()->calls().add({.doubts = {doubt_}});
    const Deadline past = clock_.now();
    const TuneHooks hooks{.time = &clock_};
    EXPECT_TRUE(race_doubts(*engine_, device_, {.budget = options_.budget}, hooks, past).empty());
    EXPECT_EQ(engine_->store()->calls().doubts().size(), 1U);
}

TEST_F(DoubtRacesTest, EndsWhereItIsStopped) {
    const std::atomic<bool> stop{true};
    EXPECT_TRUE(race(doubt_, {.stop = &stop}).empty());
}

}  // namespace
}  // namespace jitune::internal
