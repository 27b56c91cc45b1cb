// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/calls/usage.hpp"

#include <fmt/format.h>

#include "fixtures/store_fixture.hpp"

namespace jitune::internal {
namespace {

Usage usage_of(std::int64_t n, std::int64_t calls, const std::string& at = "2026-11-20T16:00:00Z") {
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

class UsageStore : public StoreFixture {};

TEST_F(UsageStore, AddsUpCallsOfTheSameSizesAndAnswer) {
    open()->add({{}, {usage_of(1000, 5), usage_of(1001, 7)}});
    const Usage later = usage_of(1000, 10, "2026-11-21T00:00:00Z");
    Usage other = usage_of(1000, 1);
    other.configuration = "block=128";
    Usage by_default = usage_of(1000, 1);
    by_default.origin = "default";
    Usage by_another_winner = usage_of(1000, 1);
    by_another_winner.winner_at = "2026-11-20T17:00:00Z";
    open()->add({{}, {later, other, by_default, by_another_winner}});
    const std::vector<Usage> usages = open()->usages();
    ASSERT_EQ(usages.size(), 5U);
    Usage sum = later;
    sum.calls = 15;
    sum.sessions = 2;
    sum.first_at = "2026-11-20T16:00:00Z";
    EXPECT_EQ(usages[0], sum) << "called last";
}

TEST_F(UsageStore, AddsUpRecordsOfOneReport) {
    open()->add({{}, {usage_of(1000, 5), usage_of(1000, 7)}});
    ASSERT_EQ(open()->usages().size(), 1U);
    EXPECT_EQ(open()->usages()[0].calls, 12);
}

TEST_F(UsageStore, CountsASessionWhoseRowIsGone) {
    Usage rest = usage_of(1000, 5);
    rest.sessions = 0;
    open()->add({{}, {rest}});
    EXPECT_EQ(open()->usages().at(0).sessions, 1);
}

TEST_F(UsageStore, KeepsTheLongestPause) {
    open()->add({{}, {}, {pause_of(2, 5000, "n=1000"), pause_of(1, 3000, "n=7")}});
    open()->add({{}, {}, {pause_of(4, 9000, "n=20")}});
    EXPECT_EQ(open()->pauses(), std::vector{pause_of(7, 9000, "n=20")});
}

TEST_F(UsageStore, LeavesDamagedRowsOutAndReplacesThem) {
    open()->add({{}, {usage_of(1000, 5)}, {pause_of(1, 3000, "n=7")}});
    sql("UPDATE usage SET calls = 6; UPDATE pause SET pauses = 6");
    const auto store = open();
    EXPECT_TRUE(store->usages().empty());
    EXPECT_TRUE(store->usages().empty());
    EXPECT_TRUE(store->pauses().empty());
    ASSERT_EQ(warnings_.size(), 2U) << "one for each table";
    EXPECT_NE(warnings_[0].find("1 row of the table usage is damaged"), std::string::npos);
    EXPECT_NE(warnings_[0].find("`jitune db verify`"), std::string::npos);
    EXPECT_NE(warnings_[1].find("1 row of the table pause is damaged"), std::string::npos);
    EXPECT_EQ(open()->verify().problems,
              (std::vector<std::string>{"usage 1: wrong digest, type, sizes, times or bound",
                                        "pause 1: wrong digest, type, sizes, times or bound"}));
    open()->add({{}, {usage_of(1000, 1)}, {pause_of(1, 3000, "n=7")}});
    EXPECT_EQ(open()->usages(), std::vector{usage_of(1000, 1)}) << "the damaged number is not used";
    EXPECT_TRUE(open()->verify().problems.empty());
}

}  // namespace
}  // namespace jitune::internal
