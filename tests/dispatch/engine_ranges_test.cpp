// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <thread>

#include "fixtures/engine_fixture.hpp"

namespace jitune::internal {
namespace {

class EngineRanges : public EngineFixture {
protected:
    /// Makes a database with the winner for n = 1000 alone, which serves these sizes.
    void restrict_range(const std::string& covers, bool unsure = false) {
        const Problem problem = fake_sum_problem();
        const RecordKey key = kernel_.kernel_template.key(problem, device_.info());
        Winner winner = make_engine()->store()->incumbent(key, problem.sizes).value();
        std::filesystem::remove(options_.database);
        winner.range = {covers, 1.02, 59, unsure};
        make_engine()->store()->save({}, winner);
    }
};

TEST_F(EngineRanges, AnswersThatAreNotStoredHideNoStoredRange) {
    tune_before();
    restrict_range("n=1000..1010; n=1040");
    for (const TunePolicy policy : {TunePolicy::template_default, TunePolicy::nearest}) {
        options_.on_miss = policy;
        const Origin elsewhere =
            policy == TunePolicy::nearest ? Origin::nearest : Origin::template_default;
        const auto engine = make_engine();
        EXPECT_EQ(info(*engine, 990).origin, elsewhere);
        EXPECT_EQ(info(*engine, 1005).origin, Origin::stored);
        EXPECT_EQ(info(*engine, 1020).origin, elsewhere);
        EXPECT_EQ(info(*engine, 1040).origin, Origin::stored);
        EXPECT_EQ(info(*engine, 999).origin, elsewhere);
        EXPECT_EQ(&resolve(*engine, 995), &resolve(*engine, 990));
        EXPECT_EQ(&resolve(*engine, 1039), &resolve(*engine, 1020));
        EXPECT_EQ(&resolve(*engine, 1000), &resolve(*engine, 1005));
    }
}

TEST_F(EngineRanges, AnUnsureWinnerAnswersOnlyAsTheNearest) {
    tune_before();
    restrict_range("n=900..1100", true);
    options_.on_miss = TunePolicy::nearest;
    EXPECT_EQ(info(*make_engine()).origin, Origin::nearest);
    options_.on_miss = TunePolicy::now;
    EXPECT_EQ(info(*make_engine()).origin, Origin::tuned);
    EXPECT_EQ(info(*make_engine()).origin, Origin::stored);
}

TEST_F(EngineRanges, ThreadsThatNeedOtherSizesOfABucketGetTheirOwnAnswers) {
    tune_before();
    restrict_range("n=1000");
    options_.on_miss = TunePolicy::template_default;
    const auto engine = make_engine();
    std::vector<Origin> origins(16);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < origins.size(); ++t) {
        threads.emplace_back(
            [&, t] { origins[t] = info(*engine, t % 2 == 0 ? 1000 : 1003).origin; });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (std::size_t t = 0; t < origins.size(); ++t) {
        EXPECT_EQ(origins[t], t % 2 == 0 ? Origin::stored : Origin::template_default);
    }
}

}  // namespace
}  // namespace jitune::internal
