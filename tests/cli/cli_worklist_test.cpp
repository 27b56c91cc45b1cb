// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "fixtures/cli_fixture.hpp"

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
    EXPECT_EQ(most["origin"], "default");
    const std::string text = jitune("worklist show").out;
    EXPECT_LT(text.find("float32 max"), text.find("float32 sum")) << text;

    const json sweep = jitune_json("sweep worklist --device host --budget 0.2");
    const json& tunings = sweep["rows"];
    ASSERT_GE(tunings.size(), 3U) << sweep;
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
    expect_failure("worklist export \"$folder/tuning.db\"", 2, "tuning.db");
}

TEST_F(CliWorklist, BeginsNoProblemAfterTheTimeThatIsGiven) {
    call("sum");
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
