// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "fixtures/cli_fixture.hpp"
#include "support/log.hpp"
#include "support/message.hpp"
#include "tuner_db/tuning_store.hpp"

namespace jitune::internal {
namespace {

/// The life of a problem from the first call that no winner serves to its tuning.
class CliWorklist : public CliFixture {
protected:
    void SetUp() override {
        CliFixture::SetUp();
        write_zeros("data.npy", 10000);
    }

    void call(const std::string& op) const {
        const Answer answer = shell(
            "JITUNE_TUNE=offline exec \"$jitune\" reduce \"$folder/data.npy\" --device host "
            "--op " +
            op);
        ASSERT_EQ(answer.code, 0) << answer.err;
    }
    [[nodiscard]] json rows() const { return jitune_json("worklist show")["worklist"]; }
};

TEST_F(CliWorklist, ListsCallsAndASweepWorksThemOff) {
    call("sum");
    call("max");
    call("max");
    ASSERT_EQ(rows().size(), 2U);
    const json most = rows()[0];
    EXPECT_EQ(most["sizes"], "n=10000");
    EXPECT_EQ(most["sessions"], 2);
    EXPECT_EQ(most["origin"], "rule");
    const std::string text = jitune("worklist show").out;
    EXPECT_LT(text.find("float32 max"), text.find("float32 sum")) << text;

    const json sweep = jitune_json("sweep worklist --device host --budget 0.2");
    const json& tunings = sweep["rows"];
    ASSERT_GE(tunings.size(), 3U) << sweep;
    EXPECT_EQ(sweep["problems"], 2) << "not tunings";
    EXPECT_EQ(sweep["begun"], 2);
    EXPECT_EQ(sweep["races"].size(), 0U);
    EXPECT_EQ(tunings[0]["effort"], "brief");
    for (std::size_t i = tunings.size() - 2; i < tunings.size(); ++i) {
        EXPECT_EQ(tunings[i]["effort"], "full") << "of each problem\n" << sweep;
        EXPECT_EQ(tunings[i]["outcome"], "tuned");
    }
    EXPECT_EQ(jitune("worklist show").out, "no call is recorded that no winner serves\n");
    EXPECT_EQ(jitune("db explain --device host -n 10000 --op max").out.find("the stored winner"),
              0U);
    call("max");
    for (const json& row : rows()) {  // where other processes have disturbed the sweep
        EXPECT_TRUE(row["provisional"]) << row;
    }
}

TEST_F(CliWorklist, TravelsToAnotherDatabase) {
    call("sum");
    ASSERT_EQ(jitune("worklist export \"$folder/work.json\"").code, 0);
    EXPECT_EQ(jitune("worklist clear").out, "1 problem removed from the work-list\n");
    EXPECT_EQ(rows().size(), 0U);
    const Answer imported = jitune("worklist import \"$folder/work.json\" --db \"$folder/b.db\"");
    EXPECT_EQ(imported.code, 0) << imported.err;
    EXPECT_EQ(jitune_json("worklist show --db \"$folder/b.db\"")["worklist"].size(), 1U);
    expect_failure("worklist import \"$folder/data.npy\"", 2, "data.npy");
    expect_failure("worklist import \"$folder/work.json\" --db none", 2, "name one with --db");
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
        const std::string file = std::string("tuning.db") + suffix;
        expect_failure("worklist export \"$folder/./" + file + '"', 2, file);
    }
    call("sum");
    const Answer printed = shell("cd \"$folder\" && exec \"$jitune\" worklist export -");
    EXPECT_EQ(json::parse(printed.out)["worklist"].size(), 1U) << printed.err;
    EXPECT_FALSE(std::filesystem::exists(path("-")));
}

TEST_F(CliWorklist, RacesWinnersInDoubtUntilTheyAreCleared) {
    call("sum");
    ASSERT_EQ(jitune("sweep worklist --device host --budget 0.1").code, 0);
    {
        const auto store = TuningStore::open(
            path("tuning.db"), TuningStore::Access::read_write,
            Log(LogLevel::warning, [](LogLevel, std::string_view line) { ADD_FAILURE() << line; }));
        const std::vector<Winner> winners = store->winners();
        ASSERT_FALSE(winners.empty());
        Doubt doubt;
        doubt.key = winners[0].key;
        doubt.sizes = doubt.called = winners[0].sizes;
        doubt.configuration = winners[0].configuration;
        doubt.winner_at = winners[0].provenance.created_at;
        doubt.reason = Doubt::kSlow;
        doubt.kernel_spec = frame({"median"});
        doubt.reports = 1;
        store->calls().add({.doubts = {doubt}});
    }
    const Answer answer = jitune("sweep worklist --device host --json");
    EXPECT_EQ(answer.err.find("\n\n"), std::string::npos) << answer.err;
    const json races = json::parse(answer.out)["races"];
    ASSERT_EQ(races.size(), 1U) << answer.out;
    EXPECT_EQ(races[0]["kernel"], "reduce");
    EXPECT_EQ(races[0]["outcome"], "not raced");
    EXPECT_NE(races[0]["note"].get<std::string>().find("median"), std::string::npos) << races;
    const std::string late = jitune("sweep worklist --device host --within 0.000001").out;
    EXPECT_EQ(late.find("in doubt"), std::string::npos) << late;

    ASSERT_EQ(jitune_json("worklist show")["doubts"].size(), 1U);
    const std::string cleared = jitune("worklist clear").out;
    EXPECT_NE(cleared.find("\n1 doubt about winners forgotten\n"), std::string::npos) << cleared;
    EXPECT_EQ(jitune_json("worklist show")["doubts"].size(), 0U);
}

TEST_F(CliWorklist, BeginsNoProblemAfterTheTimeThatIsGiven) {
    call("sum");
    expect_failure("sweep worklist --device machine", 2, "use host or cuda");
    for (const char* wrong : {"0", "-1", "3x", "x", "nan", "inf", "1d"}) {
        expect_failure(std::string("sweep worklist --within ") + wrong, 2, "--within");
    }
    const Answer late = jitune("sweep worklist --device host --within 0.000001");
    EXPECT_EQ(late.code, 0) << late.err;
    EXPECT_NE(late.out.find("left in the work-list: 1 problem\n"), std::string::npos) << late.out;
    EXPECT_EQ(rows().size(), 1U);
}

}  // namespace
}  // namespace jitune::internal
