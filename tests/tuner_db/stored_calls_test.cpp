// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/calls/stored_calls.hpp"

#include <limits>

#include <fmt/format.h>

#include "fixtures/store_fixture.hpp"
#include "support/message.hpp"

namespace jitune::internal {
namespace {

CallRecord miss_of(std::int64_t n, std::int64_t calls,
                   const std::string& at = "2026-11-20T16:00:00Z") {
    return {key_of(40), fmt::format("n={}", n), "block=256", "default", "",    calls,
            1,          "NVIDIA H200",          at,          at,        "spec"};
}

CallRecord use_of(std::int64_t n, std::int64_t calls,
                  const std::string& at = "2026-11-20T16:00:00Z") {
    return {
        key_of(40), fmt::format("n={}", n), "block=256", "stored", "2026-11-19T16:00:00Z", calls,
        1,          "NVIDIA H200",          at,          at};
}

Pause pause_of(std::int64_t pauses, std::int64_t longest_us, const std::string& sizes) {
    return {"reduce",
            "element=float32 operation=sum",
            "NVIDIA H200",
            "default",
            pauses,
            longest_us,
            sizes,
            "2026-11-20T16:00:00Z",
            "2026-11-20T16:00:00Z"};
}

class MissStore : public StoreFixture {
protected:
    std::vector<std::string> sizes() {
        std::vector<std::string> sizes;
        for (const CallRecord& miss : open()->calls().misses()) {
            sizes.push_back(miss.sizes);
        }
        return sizes;
    }
};

TEST_F(MissStore, AddsUpTheCallsOfAProblem) {
    open()->calls().add({{miss_of(1000, 5), miss_of(2000, 7)}});
    CallRecord later = miss_of(1000, 10, "2026-11-21T00:00:00Z");
    later.origin = "nearest";
    later.configuration = "block=128";
    open()->calls().add({{later}});
    const std::vector<CallRecord> misses = open()->calls().misses();
    ASSERT_EQ(misses.size(), 2U);
    CallRecord sum = later;
    sum.calls = 15;
    sum.sessions = 2;
    sum.first_at = "2026-11-20T16:00:00Z";
    EXPECT_EQ(misses[0], sum) << "called most";
    EXPECT_EQ(misses[1], miss_of(2000, 7));
}

TEST_F(MissStore, TellsProblemsApartByAllButTheBucket) {
    CallRecord other_bucket = miss_of(1000, 1);
    other_bucket.key.bucket = 7;
    CallRecord other_device = miss_of(1000, 1);
    other_device.key.device_class = "cuda cc=80";
    CallRecord other_types = miss_of(1000, 1);
    other_types.key.types = "element=int32 operation=sum";
    open()->calls().add({{miss_of(1000, 1), other_bucket, other_device, other_types}});
    EXPECT_EQ(open()->calls().misses().size(), 3U);
}

TEST_F(MissStore, HasNoProblemThatASureWinnerServes) {
    Winner winner = winner_of(40);
    winner.range = {"n=900..1500", 1.02, 9, false};
    Winner unsure = winner;
    unsure.range.unsure = true;
    unsure.configuration = "block=64";
    open()->calls().add({{miss_of(1000, 5), miss_of(2000, 7)}});
    open()->save({}, unsure);
    EXPECT_EQ(sizes().size(), 2U);
    open()->save({}, winner);
    EXPECT_EQ(sizes(), (std::vector<std::string>{"n=2000"}));
    open()->calls().add({{miss_of(1200, 5), miss_of(1600, 5)}});
    EXPECT_EQ(sizes(), (std::vector<std::string>{"n=2000", "n=1600"})) << "another process's calls";
}

TEST_F(MissStore, HasProblemsOfAProvisionalWinnerUntilItIsKept) {
    Winner winner = winner_of(40);
    winner.range.covers = "n=900..1500";
    winner.certainty.conditions = "cpu=contended tries=1";
    open()->calls().add({{miss_of(1000, 5)}});
    open()->save({}, winner);
    open()->calls().add({{miss_of(1200, 4)}});
    EXPECT_EQ(sizes(), (std::vector<std::string>{"n=1000", "n=1200"}));
    winner.certainty.conditions = "cpu=contended tries=2";
    open()->save({}, winner);
    EXPECT_EQ(sizes(), std::vector<std::string>{});
}

TEST_F(MissStore, ForgetsOnlyWhatItIsTold) {
    open()->calls().add({{miss_of(1000, 5), miss_of(2000, 7)}});
    open()->calls().remove(std::vector{miss_of(1000, 99), miss_of(3000, 1)});
    EXPECT_EQ(sizes(), (std::vector<std::string>{"n=2000"}));
}

TEST_F(MissStore, NeverOverflows) {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    open()->calls().add({{miss_of(1000, kMost - 1)}});
    open()->calls().add({{miss_of(1000, 5)}});
    EXPECT_EQ(open()->calls().misses().at(0).calls, kMost);
}

TEST_F(MissStore, LeavesDamagedRowsOutAndReplacesThem) {
    open()->calls().add({{miss_of(1000, 5), miss_of(2000, 7)}});
    sql("UPDATE call SET calls = 6 WHERE sizes = 'n=1000'");
    EXPECT_EQ(sizes(), (std::vector<std::string>{"n=2000"}));
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_NE(warnings_[0].find("1 row of the table call is damaged"), std::string::npos);
    EXPECT_EQ(open()->verify().problems,
              std::vector<std::string>{"call 1: wrong digest, type, sizes, times or bound"});
    open()->calls().add({{miss_of(1000, 1)}});
    EXPECT_EQ(open()->calls().misses().back(), miss_of(1000, 1))
        << "the damaged number is not used";
    EXPECT_TRUE(open()->verify().problems.empty());
}

TEST_F(MissStore, KeepsAFixedNumberOfProblemsThoseCalledMost) {
    std::vector<CallRecord> many;
    for (std::int64_t i = 0; i <= StoredCalls::kMostMisses; ++i) {
        many.push_back(miss_of(1000 + i, 10 + i));
    }
    open()->calls().add({.calls = many});
    const std::vector<CallRecord> misses = open()->calls().misses();
    EXPECT_LE(std::ssize(misses), StoredCalls::kMostMisses);
    EXPECT_GE(std::ssize(misses), StoredCalls::kMostMisses * 15 / 16);
    EXPECT_EQ(misses.front().calls, 10 + StoredCalls::kMostMisses) << "the last one, called most";
    EXPECT_GT(misses.back().calls, 10) << "n=1000 had the fewest calls";
}

TEST_F(MissStore, TakesAProblemThatIsNewWhereTheTableIsFull) {
    std::vector<CallRecord> many;
    for (std::int64_t i = 0; i < StoredCalls::kMostMisses; ++i) {
        many.push_back(miss_of(1000 + i, 10));
    }
    open()->calls().add({.calls = many});
    open()->calls().add({{miss_of(1, 1)}});
    EXPECT_EQ(open()->calls().misses().back(), miss_of(1, 1));
    const std::size_t before = open()->calls().misses().size();
    open()->calls().add({{miss_of(1, 1)}});
    EXPECT_EQ(open()->calls().misses().size(), before) << "a known problem needs no room";
}

class UseStore : public StoreFixture {};

TEST_F(UseStore, AddsUpCallsOfTheSameSizesAndAnswer) {
    open()->calls().add({{use_of(1000, 5), use_of(1001, 7)}});
    const CallRecord later = use_of(1000, 10, "2026-11-21T00:00:00Z");
    CallRecord other = use_of(1000, 1);
    other.configuration = "block=128";
    CallRecord by_default = use_of(1000, 1);
    by_default.origin = "default";
    CallRecord by_another_winner = use_of(1000, 1);
    by_another_winner.winner_at = "2026-11-20T17:00:00Z";
    open()->calls().add({{later, other, by_default, by_another_winner}});
    const std::vector<CallRecord> uses = open()->calls().uses();
    ASSERT_EQ(uses.size(), 5U);
    CallRecord sum = later;
    sum.calls = 15;
    sum.sessions = 2;
    sum.first_at = "2026-11-20T16:00:00Z";
    EXPECT_EQ(uses[0], sum) << "called last";
}

TEST_F(UseStore, AddsUpRecordsOfOneReport) {
    open()->calls().add({{use_of(1000, 5), use_of(1000, 7)}});
    ASSERT_EQ(open()->calls().uses().size(), 1U);
    EXPECT_EQ(open()->calls().uses()[0].calls, 12);
}

TEST_F(UseStore, CountsASessionWhoseRowIsGone) {
    CallRecord rest = use_of(1000, 5);
    rest.sessions = 0;
    open()->calls().add({{rest}});
    EXPECT_EQ(open()->calls().uses().at(0).sessions, 1);
}

TEST_F(UseStore, KeepsTheLongestPause) {
    open()->calls().add({{}, {pause_of(2, 5000, "n=1000"), pause_of(1, 3000, "n=7")}});
    open()->calls().add({{}, {pause_of(4, 9000, "n=20")}});
    EXPECT_EQ(open()->calls().pauses(), std::vector{pause_of(7, 9000, "n=20")});
}

TEST_F(UseStore, LeavesDamagedRowsOutAndReplacesThem) {
    open()->calls().add({{use_of(1000, 5)}, {pause_of(1, 3000, "n=7")}});
    sql("UPDATE call SET calls = 6; UPDATE pause SET pauses = 6");
    const auto store = open();
    EXPECT_TRUE(store->calls().uses().empty());
    EXPECT_TRUE(store->calls().uses().empty());
    EXPECT_TRUE(store->calls().pauses().empty());
    ASSERT_EQ(warnings_.size(), 2U) << "one for each table";
    EXPECT_NE(warnings_[0].find("1 row of the table call is damaged"), std::string::npos);
    EXPECT_NE(warnings_[0].find("`jitune db verify`"), std::string::npos);
    EXPECT_NE(warnings_[1].find("1 row of the table pause is damaged"), std::string::npos);
    EXPECT_EQ(open()->verify().problems,
              (std::vector<std::string>{"call 1: wrong digest, type, sizes, times or bound",
                                        "pause 1: wrong digest, type, sizes, times or bound"}));
    open()->calls().add({{use_of(1000, 1)}, {pause_of(1, 3000, "n=7")}});
    EXPECT_EQ(open()->calls().uses(), std::vector{use_of(1000, 1)})
        << "the damaged number is not used";
    EXPECT_TRUE(open()->verify().problems.empty());
}

TEST_F(UseStore, TellsAUseAndAMissOfOneProblemApart) {
    const CallRecord miss = miss_of(1000, 5);
    CallRecord use = miss;
    use.kernel_spec.clear();
    open()->calls().add({{miss, use}});
    open()->calls().add({{use}});
    EXPECT_EQ(open()->calls().misses(), std::vector{miss});
    use.calls = 10;
    use.sessions = 2;
    EXPECT_EQ(open()->calls().uses(), std::vector{use});
    open()->calls().remove(std::vector{miss});
    EXPECT_EQ(open()->calls().misses().size(), 0U);
    EXPECT_EQ(open()->calls().uses().size(), 1U);
}

TEST(CallRecord, KnowsItsProblem) {
    CallRecord miss = miss_of(1000, 1);
    EXPECT_EQ(miss.problem_sizes(), Sizes{1000});
    EXPECT_EQ(miss.problem_types(),
              (std::map<std::string, std::string>{{"element", "float32"}, {"operation", "sum"}}));
    miss.key.types = "formula=\"m = sum(x); y[i] = x / m\" shape=rows";
    EXPECT_EQ(miss.problem_types(),
              (std::map<std::string, std::string>{{"formula", "m = sum(x); y[i] = x / m"},
                                                  {"shape", "rows"}}));
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
