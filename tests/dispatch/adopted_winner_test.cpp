// SPDX-License-Identifier: Apache-2.0
// Winners that a merge has brought without code get it here.
#include <filesystem>

#include <fmt/format.h>

#include "dispatch/answer/explanation.hpp"
#include "fixtures/call_fixture.hpp"
#include "tuner_db/winners/precedence.hpp"

namespace jitune::internal {
namespace {

/// The database holds the winner for n = 1000 without code.
class AdoptedWinner : public CallFixture {
protected:
    AdoptedWinner() : CallFixture(TunePolicy::now) {
        options_.worker = "none";
        options_.tune_on_busy_gpu = true;
        tune_before();
        const std::filesystem::path other = dir_.path() / "other.db";
        std::filesystem::rename(options_.database, other);
        other_ = TuningStore::open_other(other, Log(LogLevel::off));
    }

    void merge() { engine()->store()->merges().add(other_->merges(), {}); }

    /// As merge(), after a change of the row.
    template <class Change>
    void merge(const Change& change) {
        Winner winner = other_->winners().front();
        winner = other_->with_image(winner).value();
        change(winner);
        const std::filesystem::path changed = dir_.path() / "changed.db";
        TuningStore::open(changed, TuningStore::Access::read_write, Log(LogLevel::off))
            ->save({}, winner);
        other_ = TuningStore::open_other(changed, Log(LogLevel::off));
        merge();
    }

    std::unique_ptr<TuningStore> other_;
};

TEST_F(AdoptedWinner, AnswersAsStoredOnceItIsCompiledAndChecked) {
    merge();
    const auto engine = this->engine();
    EXPECT_EQ(info(*engine).origin, Origin::stored);
    EXPECT_EQ(info(*engine).configuration, kFastest);
    call(*engine, 1000);
    EXPECT_EQ(engine->counters().tunings, 0);
    const Winner row = engine->store()->winners().at(0);
    EXPECT_NE(row.image_format, kNoCode);
    EXPECT_FALSE(row.range.unsure);
    EXPECT_EQ(winner_id(row), winner_id(other_->winners().at(0)));
}

TEST_F(AdoptedWinner, WithoutCodeHidesNoNeighbourThatHasIt) {
    Winner winner = other_->with_image(other_->winners().front()).value();
    const std::filesystem::path near = dir_.path() / "near.db";
    auto others = TuningStore::open(near, TuningStore::Access::read_write, Log(LogLevel::off));
    for (const int n : {1200, 1220, 1240, 1260, 1280}) {
        winner.sizes = winner.range.covers = fmt::format("n={}", n);
        others->save({}, winner);
    }
    other_ = TuningStore::open_other(near, Log(LogLevel::off));
    merge();
    engine()->tuner().tune({device_, kernel_, fake_sum_problem(1900)}, {});
    const auto reader = engine(TunePolicy::offline);
    EXPECT_EQ(info(*reader, 1250).origin, Origin::nearest);
    EXPECT_TRUE(explain(*reader, {device_, kernel_, fake_sum_problem(1250)})
                    .answer.starts_with("no stored winner: the nearest answers"));
}

TEST_F(AdoptedWinner, IsCompiledOnceForAllSessionsAndSizes) {
    merge();
    info(*engine());
    const auto later = engine(TunePolicy::offline);
    for (const std::int64_t n : {990, 1000, 1010}) {
        EXPECT_EQ(info(*later, n).origin, Origin::stored) << n;
    }
    EXPECT_EQ(later->counters().compiles, 0);
}

TEST_F(AdoptedWinner, ByDefaultNeedsNoRace) {
    merge([](Winner& winner) {
        winner.configuration = kFakeDefault;
        winner.range = {.covers = "n=800..1400", .by_default = true};
    });
    const auto engine = this->engine();
    EXPECT_EQ(info(*engine, 1300).origin, Origin::template_default);
    EXPECT_EQ(engine->counters().tunings, 0);
    EXPECT_EQ(engine->store()->measurements().digests(), other_->measurements().digests());
    EXPECT_NE(engine->store()->winners().at(0).image_format, kNoCode);
}

TEST_F(AdoptedWinner, IsNotUsedUncheckedWhereNothingMayBeTuned) {
    merge();
    EXPECT_EQ(info(*engine(TunePolicy::offline)).origin, Origin::template_default);
    EXPECT_EQ(info(*engine(TunePolicy::template_default)).origin, Origin::template_default);
}

TEST_F(AdoptedWinner, ReplacesTheDefaultBehindTheCalls) {
    merge();
    const auto engine = this->engine(TunePolicy::background);
    EXPECT_EQ(info(*engine).origin, Origin::template_default);
    await([&] { return engine->counters().replaced > 0; });
    EXPECT_EQ(info(*engine).origin, Origin::stored);
    EXPECT_EQ(info(*engine).configuration, kFastest);
    EXPECT_EQ(engine->counters().tunings, 0);
}

TEST_F(AdoptedWinner, OneThatIsWrongHereIsNotUsed) {
    merge();
    device_.on(fake_sum(128, 4)).run = wrong_sum;
    const auto engine = this->engine();
    EXPECT_EQ(info(*engine).origin, Origin::tuned);
    EXPECT_NE(info(*engine).configuration, kFastest);
    call(*engine, 1000);
}

TEST_F(AdoptedWinner, OneThatIsSlowerThanTheDefaultHereIsNotUsed) {
    merge();
    device_.on(fake_sum(128, 4)).ns = 40'000;
    const auto engine = this->engine();
    EXPECT_EQ(info(*engine).origin, Origin::tuned);
    EXPECT_NE(info(*engine).configuration, kFastest);
}

TEST_F(AdoptedWinner, OneThatWasUnsureIsTuned) {
    merge([](Winner& winner) { winner.range.unsure = true; });
    EXPECT_EQ(info(*engine()).origin, Origin::tuned);
}

TEST_F(AdoptedWinner, TheTemplateJudgesItsConfiguration) {
    merge([](Winner& winner) { winner.configuration = "block=7 items=4"; });
    EXPECT_EQ(info(*engine()).origin, Origin::tuned);
    merge([](Winner& winner) {
        winner.configuration = "no text of jitune's";
        winner.sizes = "n=2000";
        winner.range.covers = "";
    });
    EXPECT_EQ(info(*engine(), 2000).origin, Origin::tuned);
    EXPECT_TRUE(warnings_.empty()) << warnings_.front();
}

}  // namespace
}  // namespace jitune::internal
