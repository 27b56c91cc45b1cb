// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "fixtures/cli_fixture.hpp"
#include "support/log.hpp"
#include "tuner_db/tuning_store.hpp"

namespace jitune::internal {
namespace {

class CliStats : public CliFixture {
protected:
    void call(const std::string& record) const {
        write_zeros("data.npy", 10000);
        const Answer answer = shell("JITUNE_TUNE=offline JITUNE_RECORD=" + record +
                                    " exec \"$jitune\" reduce \"$folder/data.npy\" --device host");
        ASSERT_EQ(answer.code, 0) << answer.err;
    }
    [[nodiscard]] json stats() const { return jitune_json("stats"); }
};

TEST_F(CliStats, CountsCallsByWhatAnswersThem) {
    call("all");
    const json before = stats();
    EXPECT_GT(before["calls"], 0);
    EXPECT_EQ(before["origins"]["rule"], before["calls"]);
    EXPECT_EQ(before["winners"].size(), 0U);
    EXPECT_EQ(before["holes"], 1);

    ASSERT_EQ(jitune("sweep worklist --device host --budget 0.2").code, 0);
    call("all");
    const json after = stats();
    std::int64_t calls = 0;
    for (const auto& [origin, count] : after["origins"].items()) {
        calls += count.get<std::int64_t>();
    }
    EXPECT_EQ(after["calls"], calls);
    EXPECT_GT(calls, before["calls"].get<std::int64_t>());
    const auto& winners = after["winners"];
    if (std::any_of(winners.begin(), winners.end(),
                    [](const json& winner) { return winner["provisional"] == true; })) {
        return;  // other processes disturbed the sweep, and such a winner may serve or not
    }
    EXPECT_GT(after["origins"]["stored"], 0);
    EXPECT_EQ(after["holes"], 0);
    json served;
    for (const json& winner : after["winners"]) {
        served = winner["calls"] > 0 ? winner : served;
    }
    ASSERT_FALSE(served.is_null()) << after;
    EXPECT_EQ(served["calls"], after["origins"]["stored"]);
    EXPECT_FALSE(served["last_served"].is_null());
    const std::string text = jitune("stats").out;
    EXPECT_NE(text.find("recorded with JITUNE_RECORD=all"), std::string::npos) << text;
    const std::string why = jitune("db explain --device host -n 10000").out;
    EXPECT_NE(why.find(" recorded call"), std::string::npos) << why;
}

TEST_F(CliStats, SaysWhereNoGainIsExpected) {
    call("misses");
    std::string text = jitune("stats").out;
    EXPECT_NE(text.find("without a winner: 1 problem; tuning would have saved about "),
              std::string::npos)
        << text;
    {
        const auto store = TuningStore::open(
            path("tuning.db"), TuningStore::Access::read_write,
            Log(LogLevel::warning, [](LogLevel, std::string_view line) { ADD_FAILURE() << line; }));
        const CallRecord miss = store->calls().misses().at(0);
        Winner as_fast;
        as_fast.key = miss.key;
        as_fast.key.alignment = miss.key.alignment * 2;
        as_fast.sizes = miss.sizes;
        as_fast.configuration = miss.configuration;
        as_fast.median_ns = as_fast.default_median_ns = 1e-6;
        as_fast.image_format = "so";
        as_fast.image = "image";
        as_fast.symbols = {"f"};
        store->save({}, as_fast);
    }
    text = jitune("stats").out;
    EXPECT_NE(text.find("without a winner: 1 problem; no gain is expected of tuning"),
              std::string::npos)
        << text;
    EXPECT_NE(jitune("db verify").out.find(": 1 winner, "), std::string::npos);
    EXPECT_NE(jitune("db show").out.find("\n0 measurements\n"), std::string::npos);
}

TEST_F(CliStats, SaysWhatIsMissingWhereNothingIsRecorded) {
    call("misses");
    EXPECT_EQ(stats()["calls"], 0);
    EXPECT_EQ(stats()["holes"], 1);
    EXPECT_EQ(jitune("stats").out.find("no calls are recorded of those that winners serve"), 0U);
    call("nothing");
    expect_failure("stats --db none", 2, "name one with --db");
}

}  // namespace
}  // namespace jitune::internal
