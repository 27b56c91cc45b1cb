// SPDX-License-Identifier: Apache-2.0
#include "cli/steps_result.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/exit_code.hpp"

namespace jitune::internal {
namespace {

StepLine timed(double median_ns) {
    StepLine line;
    line.step = &reduction_steps().front();
    line.row.standard = {"block=256", median_ns, 0.01};
    line.gb_per_s = 2400;
    line.speed_up = 1.0;
    return line;
}

StepLine failed() {
    StepLine line;
    line.step = &reduction_steps().front();
    line.row.outcome = StepRow::Outcome::failed;
    line.row.note = "n=31 offset=0: got 3,\nexpected 4";
    return line;
}

TEST(StepsResult, ALineSaysTimeRateShareOfPeakAndConfiguration) {
    const std::string line = StepsTable(false, 4800).line(timed(56'000));
    for (const char* word :
         {"study notes", "v0", "56.0 us", "2400", "50 %", "1.00x", "block=256"}) {
        EXPECT_NE(line.find(word), std::string::npos) << word << " in " << line;
    }
    EXPECT_EQ(StepsTable(false, std::nullopt).line(timed(56'000)).find('%'), std::string::npos);
}

TEST(StepsResult, ALineOfATunedStepAlsoHasTheBest) {
    StepLine line = timed(56'000);
    line.row.best = StepTime{"block=1024", 41'000, 0.01};
    const std::string text = StepsTable(true, 4800).line(line);
    EXPECT_NE(text.find("41.0 us"), std::string::npos) << text;
    EXPECT_NE(text.find("block=1024"), std::string::npos) << text;
}

TEST(StepsResult, AFailedStepSaysWhyInOneLine) {
    for (const bool tuned : {false, true}) {
        const std::string line = StepsTable(tuned, 4800).line(failed());
        EXPECT_NE(line.find("failed: n=31 offset=0: got 3, expected 4\n"), std::string::npos)
            << line;
    }
}

TEST(StepsResult, JsonHasEveryStepAndJitunesOwn) {
    StepsResult result;
    result.n = 1 << 25;
    result.peak_gb_per_s = 4800;
    result.lines = {timed(56'000), failed(), timed(30'000)};
    result.lines[2].step = nullptr;
    result.lines[2].speed_up.reset();
    const auto json = nlohmann::json::parse(steps_json(result).text());
    ASSERT_EQ(json["steps"].size(), 3U);
    EXPECT_EQ(json["steps"][0]["share_of_peak"], 0.5);
    EXPECT_EQ(json["steps"][0]["median_ns"], 56'000.0);
    EXPECT_EQ(json["steps"][1]["outcome"], "failed");
    EXPECT_FALSE(json["steps"][1].contains("median_ns"));
    EXPECT_EQ(json["steps"][2]["article"], "jitune");
    EXPECT_TRUE(json["steps"][2]["speed_up"].is_null());
}

TEST(StepsResult, AFailedStepIsAFailedRun) {
    StepsResult result;
    EXPECT_EQ(steps_exit_code(result), kExitUnavailable);
    result.lines = {timed(56'000)};
    EXPECT_EQ(steps_exit_code(result), kExitOk);
    result.lines.push_back(failed());
    EXPECT_EQ(steps_exit_code(result), kExitFailed);
    result.interrupted = true;
    EXPECT_EQ(steps_exit_code(result), kExitInterrupted);
}

}  // namespace
}  // namespace jitune::internal
