// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/calls/miss_table.hpp"

#include <limits>

#include <fmt/format.h>

#include "fixtures/store_fixture.hpp"
#include "support/message.hpp"

namespace jitune::internal {
namespace {

Miss miss_of(std::int64_t n, std::int64_t calls, const std::string& at = "2026-11-20T16:00:00Z") {
    return {key_of(40), fmt::format("n={}", n), "spec", "default", "block=256", calls,
            1,          "NVIDIA H200",          at,     at};
}

class MissStore : public StoreFixture {
protected:
    std::vector<std::string> sizes() {
        std::vector<std::string> sizes;
        for (const Miss& miss : open()->misses()) {
            sizes.push_back(miss.sizes);
        }
        return sizes;
    }
};

TEST_F(MissStore, AddsUpTheCallsOfAProblem) {
    open()->add_misses(std::vector{miss_of(1000, 5), miss_of(2000, 7)});
    Miss later = miss_of(1000, 10, "2026-11-21T00:00:00Z");
    later.origin = "nearest";
    later.configuration = "block=128";
    open()->add_misses(std::vector{later});
    const std::vector<Miss> misses = open()->misses();
    ASSERT_EQ(misses.size(), 2U);
    Miss sum = later;
    sum.calls = 15;
    sum.sessions = 2;
    sum.first_at = "2026-11-20T16:00:00Z";
    EXPECT_EQ(misses[0], sum) << "called most";
    EXPECT_EQ(misses[1], miss_of(2000, 7));
}

TEST_F(MissStore, TellsProblemsApartByAllButTheBucket) {
    Miss other_bucket = miss_of(1000, 1);
    other_bucket.key.bucket = 7;
    Miss other_device = miss_of(1000, 1);
    other_device.key.device_class = "cuda cc=80";
    Miss other_types = miss_of(1000, 1);
    other_types.key.types = "element=int32 operation=sum";
    open()->add_misses(std::vector{miss_of(1000, 1), other_bucket, other_device, other_types});
    EXPECT_EQ(open()->misses().size(), 3U);
}

TEST_F(MissStore, HasNoProblemThatASureWinnerServes) {
    Winner winner = winner_of(40);
    winner.range = {"n=900..1500", 1.02, 9, false};
    Winner unsure = winner;
    unsure.range.unsure = true;
    unsure.configuration = "block=64";
    open()->add_misses(std::vector{miss_of(1000, 5), miss_of(2000, 7)});
    open()->save({}, unsure);
    EXPECT_EQ(sizes().size(), 2U);
    open()->save({}, winner);
    EXPECT_EQ(sizes(), (std::vector<std::string>{"n=2000"}));
    open()->add_misses(std::vector{miss_of(1200, 5), miss_of(1600, 5)});
    EXPECT_EQ(sizes(), (std::vector<std::string>{"n=2000", "n=1600"})) << "another process's calls";
}

TEST_F(MissStore, HasProblemsOfAProvisionalWinnerUntilItIsKept) {
    Winner winner = winner_of(40);
    winner.range.covers = "n=900..1500";
    winner.certainty.conditions = "cpu=contended tries=1";
    open()->add_misses(std::vector{miss_of(1000, 5)});
    open()->save({}, winner);
    open()->add_misses(std::vector{miss_of(1200, 4)});
    EXPECT_EQ(sizes(), (std::vector<std::string>{"n=1000", "n=1200"}));
    winner.certainty.conditions = "cpu=contended tries=2";
    open()->save({}, winner);
    EXPECT_EQ(sizes(), std::vector<std::string>{});
}

TEST_F(MissStore, ForgetsOnlyWhatItIsTold) {
    open()->add_misses(std::vector{miss_of(1000, 5), miss_of(2000, 7)});
    open()->remove_misses(std::vector{miss_of(1000, 99), miss_of(3000, 1)});
    EXPECT_EQ(sizes(), (std::vector<std::string>{"n=2000"}));
}

TEST_F(MissStore, NeverOverflows) {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    open()->add_misses(std::vector{miss_of(1000, kMost - 1)});
    open()->add_misses(std::vector{miss_of(1000, 5)});
    EXPECT_EQ(open()->misses().at(0).calls, kMost);
}

TEST_F(MissStore, LeavesDamagedRowsOutAndReplacesThem) {
    open()->add_misses(std::vector{miss_of(1000, 5), miss_of(2000, 7)});
    sql("UPDATE miss SET calls = 6 WHERE sizes = 'n=1000'");
    EXPECT_EQ(sizes(), (std::vector<std::string>{"n=2000"}));
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_NE(warnings_[0].find("1 row of the table miss is damaged"), std::string::npos);
    EXPECT_EQ(open()->verify().problems,
              std::vector<std::string>{"miss 1: wrong digest, type, sizes, times or bound"});
    open()->add_misses(std::vector{miss_of(1000, 1)});
    EXPECT_EQ(open()->misses().back(), miss_of(1000, 1)) << "the damaged number is not used";
    EXPECT_TRUE(open()->verify().problems.empty());
}

TEST_F(MissStore, KeepsAFixedNumberOfProblemsThoseCalledMost) {
    std::vector<Miss> many;
    for (std::int64_t i = 0; i <= MissTable::kMostRows; ++i) {
        many.push_back(miss_of(1000 + i, 10 + i));
    }
    open()->add_misses(many);
    const std::vector<Miss> misses = open()->misses();
    EXPECT_LE(std::ssize(misses), MissTable::kMostRows);
    EXPECT_GE(std::ssize(misses), MissTable::kMostRows * 15 / 16);
    EXPECT_EQ(misses.front().calls, 10 + MissTable::kMostRows) << "the last one, called most";
    EXPECT_GT(misses.back().calls, 10) << "n=1000 had the fewest calls";
}

TEST_F(MissStore, TakesAProblemThatIsNewWhereTheTableIsFull) {
    std::vector<Miss> many;
    for (std::int64_t i = 0; i < MissTable::kMostRows; ++i) {
        many.push_back(miss_of(1000 + i, 10));
    }
    open()->add_misses(many);
    open()->add_misses(std::vector{miss_of(1, 1)});
    EXPECT_EQ(open()->misses().back(), miss_of(1, 1));
    const std::size_t before = open()->misses().size();
    open()->add_misses(std::vector{miss_of(1, 1)});
    EXPECT_EQ(open()->misses().size(), before) << "a known problem needs no room";
}

TEST(Miss, KnowsItsProblem) {
    Miss miss = miss_of(1000, 1);
    EXPECT_EQ(miss.problem_sizes(), Sizes{1000});
    EXPECT_EQ(miss.problem_types(),
              (std::map<std::string, std::string>{{"element", "float32"}, {"operation", "sum"}}));
    EXPECT_EQ(miss.spec(), std::nullopt);
    miss.kernel_spec = frame({"reduce", "two\nlines"});
    EXPECT_EQ(miss.spec(), (std::vector<std::string>{"reduce", "two\nlines"}));
    miss.kernel_spec.back() = 'z';
    EXPECT_EQ(miss.spec(), std::nullopt);
    miss.sizes = "rows=3 columns=5";
    EXPECT_EQ(miss.problem_sizes(), (Sizes{3, 5}));
    for (const char* wrong : {"", "n=", "n=1..2", "n=1; n=3", "1000"}) {
        miss.sizes = wrong;
        EXPECT_EQ(miss.problem_sizes(), std::nullopt) << wrong;
    }
    for (const char* wrong : {"element", "=float32", "element=", "element=float32 sum"}) {
        miss.key.types = wrong;
        EXPECT_EQ(miss.problem_types(), std::nullopt) << wrong;
    }
}

}  // namespace
}  // namespace jitune::internal
