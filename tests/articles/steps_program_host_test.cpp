// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "fixtures/cli_fixture.hpp"

namespace jitune::internal {
namespace {

/// Its command is jitune_steps.
class StepsProgram : public CliFixture {};

TEST_F(StepsProgram, RefusesWhatItCannotRun) {
    expect_failure("", 2, "jitune_steps takes one of the commands reduce");
    expect_failure("reduce --type float64", 2, "float32 and int32");
    expect_failure("reduce --type float8", 2, "float32");
    expect_failure("reduce --size 2^41", 2, "2^40");
    expect_failure("reduce --size 2^10..2^12", 2, "is a range");
    expect_failure("reduce --tune now", 2, "now");
    expect_failure("reduce --device host", 2, "cuda:N, not host");
    expect_failure("reduce --device cuda:99", 4, "cuda");
    expect_failure("stencil --device host", 2, "CUDA kernels");
    expect_failure("stencil --device auto", 2, "Leave --device out");
    expect_failure("entropy --sizes 10,2^21", 2, "at most 2^40");
    expect_failure("entropy --sizes 2^40", 2, "at most 2^40");
}

TEST_F(StepsProgram, AnErrorIsJsonWhereJsonIsWanted) {
    const Answer answer = jitune("reduce --device cuda:99 --json");
    EXPECT_EQ(answer.code, 4);
    EXPECT_EQ(json::parse(answer.out)["error"]["kind"], "unavailable");
}

TEST_F(StepsProgram, NamesItselfInItsHelp) {
    EXPECT_NE(jitune("--help").out.find("entropy"), std::string::npos);
    EXPECT_TRUE(jitune("--version").out.starts_with("jitune_steps "));
}

TEST_F(StepsProgram, TheHostsEntropiesAreRightAndTheirWinnersStored) {
    const json run = jitune_json("entropy --devices host --sizes 40 --budget 1");
    ASSERT_EQ(run["steps"].size(), 6U);
    for (const json& step : run["steps"]) {
        EXPECT_EQ(step["outcome"], "timed") << step;
        EXPECT_GT(step["whole_ns"], 0) << step;
    }
    const json placed = run["steps"].back();
    EXPECT_EQ(placed["step"], "v14");
    const Answer shown = shell("exec '" JITUNE_EXPLAIN
                               "' db explain --kernel entropy -n 40x40 --device machine --json");
    ASSERT_EQ(shown.code, 0) << shown.err;
    const json explained = json::parse(shown.out);
    EXPECT_EQ(explained["rows"][0]["configuration"], placed["configuration"]);
    std::set<std::string> candidates;
    for (const json& candidate : explained["candidates"]) {
        candidates.insert(candidate["configuration"]);
    }
    EXPECT_EQ(explained["candidates"].size(), candidates.size()) << "not once more for the finals";
}

}  // namespace
}  // namespace jitune::internal
