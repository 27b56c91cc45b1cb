// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "fixtures/cli_fixture.hpp"

namespace jitune::internal {
namespace {

namespace fs = std::filesystem;

/// A sweep that several commands share.
class CliPlan : public CliFixture {
protected:
    static constexpr const char* kProblems =
        "sweep reduce --ops sum,max --sizes 1000,5000 --device host --budget 0.05 --plan "
        "\"$folder/p\"";

    void plan(const std::string& words = kProblems) const {
        const Answer answer = jitune(words);
        ASSERT_EQ(answer.code, 0) << answer.err;
    }
    [[nodiscard]] json collected(int code = 0) const {
        const Answer answer = jitune("sweep collect \"$folder/p\" --json");
        EXPECT_EQ(answer.code, code) << answer.err;
        return json::parse(answer.out);
    }
};

TEST_F(CliPlan, TasksShareTheProblemsAndTheirResultsServe) {
    plan();
    EXPECT_EQ(collected(4)["classes"].size(), 0U);
    const Answer both = shell(
        "\"$jitune\" sweep work \"$folder/p\" >\"$folder/first\" & "
        "\"$jitune\" sweep work \"$folder/p\" --device host >\"$folder/second\"; code=$?; wait; "
        "exit $code");
    EXPECT_EQ(both.code, 0) << both.err;
    const Answer late = jitune("sweep work \"$folder/p\" --time-left 1s");
    EXPECT_EQ(late.code, 0) << late.err;
    EXPECT_NE(late.out.find("host: no problem waits any more\n"), std::string::npos) << late.out;
    const json found = collected();
    ASSERT_EQ(found["classes"].size(), 1U);
    EXPECT_EQ(found["classes"][0]["done"], 4);
    EXPECT_EQ(found["classes"][0]["merged"], 4);
    EXPECT_EQ(found["classes"][0]["missing"].size(), 0U);
    EXPECT_EQ(jitune_json("db list")["winners"].size(), 4U);
    const std::string table = jitune("db list").out;
    EXPECT_EQ(collected()["classes"][0]["merged"], 4);
    EXPECT_EQ(jitune("db list").out, table);
    EXPECT_EQ(jitune("db explain --device host -n 5000 --op max").out.find("the stored winner"),
              0U);
}

TEST_F(CliPlan, SaysWhatIsMissingWhileNothingOrSomethingIsDone) {
    plan();
    const Answer none = jitune("sweep collect \"$folder/p\"");
    EXPECT_EQ(none.code, 4);
    EXPECT_EQ(none.out, "no task has begun: all of the 4 problems wait\n");
    const Answer late = jitune("sweep work \"$folder/p\" --time-left 1s");
    EXPECT_EQ(late.code, 0) << late.err;
    EXPECT_NE(late.out.find("does not suffice"), std::string::npos) << late.out;
}

TEST_F(CliPlan, AnInterruptHandsTheProblemBack) {
    plan("sweep reduce --sizes 2^4..2^24 --device host --budget 60 --plan \"$folder/p\"");
    const Answer stopped = shell(
        "mkdir \"$folder/local\"; export TMPDIR=\"$folder/local\"\n"
        "\"$jitune\" sweep work \"$folder/p\" >\"$folder/rows\" & pid=$!\n"
        // The journal of its tuning holds a time.
        "await 'grep -aqsw timed \"$folder\"/local/*/tuning.db-sweep-*'\n"
        "kill -TERM $pid; wait $pid");
    EXPECT_EQ(stopped.code, 130) << stopped.err;
    const std::string said = contents(folder_ / "rows");
    EXPECT_NE(said.find("  handed back: the next task goes on"), std::string::npos) << said;
    EXPECT_TRUE(
        said.ends_with("\nhost: stopped\n"
                       "0 tuned, 1 handed back, 0 not started, 0 failed\n"))
        << said;
    const json found = collected(4)["classes"][0];
    EXPECT_EQ(found["waiting"], found["problems"]);
    EXPECT_EQ(found["missing"][0]["losses"], 0);
    EXPECT_EQ(found["merged"], 1) << "what it had measured";
}

TEST_F(CliPlan, RefusesAFolderThatHoldsAPlanOrAnythingElse) {
    plan();
    expect_failure(kProblems, 2, "is not empty");
    fs::create_directory(folder_ / "q");
    std::ofstream(folder_ / "q" / "notes") << "mine";
    expect_failure("sweep stencil --device host --plan \"$folder/q\"", 2, "is not empty");
}

TEST_F(CliPlan, RefusesWhatIsNoPlanOrOneThatItCannotRead) {
    expect_failure("sweep work \"$folder/none\"", 2, "holds no plan");
    plan();
    const std::string text = contents(folder_ / "p/plan.json");
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        changed.replace(changed.find(from), from.size(), to);
        std::ofstream(folder_ / "p/plan.json") << changed;
    };
    with("\"jitune_plan\":1", "\"jitune_plan\":2");
    expect_failure("sweep work \"$folder/p\"", 2, "in format 2, and this one reads 1");
    with("\"order\":[", "\"order\":[0,");
    expect_failure("sweep work \"$folder/p\"", 2, "\"order\" does not name each problem once");
    with("\"--ops\":\"sum,max\"", "\"--ops\":\"sum,min\"");
    expect_failure("sweep work \"$folder/p\"", 2, "names other problems");
    with("\"kernel\":\"reduce\"", "\"kernel\":\"reduc\"");
    expect_failure("sweep work \"$folder/p\"", 2, "reduc");
    with("{\"jitune_plan\"", "{{\"jitune_plan\"");
    expect_failure("sweep work \"$folder/p\"", 2, "invalid JSON");
    std::ofstream(folder_ / "p/plan.json") << "";
    expect_failure("sweep collect \"$folder/p\"", 2, "plan.json");
}

TEST_F(CliPlan, RefusesArgumentsThatNoTaskCouldKeep) {
    expect_failure("sweep reduce --device cuda:1 --plan \"$folder/p\"", 2, "sweep work");
    expect_failure("sweep reduce --again --plan \"$folder/p\"", 2, "--again");
    expect_failure("sweep reduce --target 5 --plan \"$folder/p\"", 2, "--target");
    EXPECT_FALSE(fs::exists(folder_ / "p"));
    plan();
    expect_failure("sweep work \"$folder/p\" --device cuda", 2, "the plan is for host");
    expect_failure("sweep work \"$folder/p\" --time-left soon", 2, "--time-left");
    expect_failure("sweep collect \"$folder/p\" --db none", 2, "no database");
}

TEST_F(CliPlan, RefusesAFolderThatOthersMayWrite) {
    plan();
    fs::permissions(folder_ / "p", fs::perms(0777));
    expect_failure("sweep work \"$folder/p\"", 3, "others may write");
}

TEST_F(CliPlan, ProblemsOfTheWorkListArePlannedToo) {
    write_zeros("data.npy", 10000);
    for (const char* const op : {"sum", "max"}) {
        ASSERT_EQ(
            shell(std::string("JITUNE_TUNE=offline exec \"$jitune\" reduce \"$folder/data.npy\" "
                              "--device host --op ") +
                  op)
                .code,
            0);
    }
    ASSERT_EQ(jitune_json("worklist show")["worklist"].size(), 2U);
    plan("sweep worklist --device host --budget 0.2 --plan \"$folder/p\"");
    const Answer work = jitune("sweep work \"$folder/p\"");
    EXPECT_EQ(work.code, 0) << work.err;
    EXPECT_EQ(collected()["classes"][0]["done"], 2);
    EXPECT_EQ(jitune("db explain --device host -n 10000 --op max").out.find("the stored winner"),
              0U);
}

}  // namespace
}  // namespace jitune::internal
