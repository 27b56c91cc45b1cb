// SPDX-License-Identifier: Apache-2.0
#include "articles/steps/steps_report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/app/exit_code.hpp"

namespace jitune::internal {
namespace {

constexpr const char* kNote = "n=31 offset=0: got 3,\nexpected 4";

/// A memory of 4800 GB/s.
const DeviceInfo& gpu() {
    static const DeviceInfo info = [] {
        DeviceInfo made;
        made.id = "cuda:0";
        made.attributes = {{"memory_bus_bits", 6144}, {"memory_clock_khz", 3'125'000}};
        return made;
    }();
    return info;
}

const Step& own(std::string_view kernel) {
    return step_set(kernel).steps.back();
}

StepRun timed(const Step& step, double median_ns) {
    StepRun run{&step, &gpu(), {ElementType::float32, 1 << 25, 8}, {}, 1.0};
    run.result.standard = {"block=256", median_ns, 0.01};
    run.result.gb_per_s = 2400;
    return run;
}

StepRun timed(double median_ns) {
    return timed(step_set("reduce").steps.front(), median_ns);
}

StepRun failed(const Step& step) {
    StepRun run{&step, &gpu(), {ElementType::float32, 1 << 25, 8}, {}, {}};
    run.result.outcome = StepResult::Outcome::failed;
    run.result.note = kNote;
    return run;
}

StepRun failed() {
    return failed(step_set("reduce").steps.front());
}

std::string line_of(const StepsView& view, std::vector<StepRun> runs) {
    return StepsTable(view).line(runs);
}

void expect_words(const std::string& line, std::initializer_list<const char*> words) {
    for (const char* word : words) {
        EXPECT_NE(line.find(word), std::string::npos) << word << " in " << line;
    }
}

/// Keys stay in their order.
Json parsed(const StepsView& view, std::span<const StepRun> runs) {
    return Json::parse(steps_json(view, runs).dump());
}

TEST(StepsReport, ALineSaysTimeRateShareOfPeakAndConfiguration) {
    const StepsView view = reduction_steps_view(false);
    expect_words(line_of(view, {timed(56'000)}),
                 {"study notes", "v0", "56.0 us", "2400", "50 %", "1.00x", "block=256"});
    const DeviceInfo silent;
    StepRun run = timed(56'000);
    run.device = &silent;
    EXPECT_EQ(line_of(view, {run}).find('%'), std::string::npos);
}

TEST(StepsReport, ALineOfATunedStepAlsoHasTheBest) {
    StepRun run = timed(56'000);
    run.result.best = StepTime{"block=1024", 41'000, 0.01};
    expect_words(line_of(reduction_steps_view(true), {run}), {"41.0 us", "block=1024"});
}

TEST(StepsReport, AFailedStepSaysWhyInOneLine) {
    for (const bool tuned : {false, true}) {
        expect_words(line_of(reduction_steps_view(tuned), {failed()}),
                     {"failed: n=31 offset=0: got 3, expected 4\n"});
    }
}

TEST(StepsReport, JsonHasEveryStepAndJitunesOwn) {
    std::vector<StepRun> runs{timed(56'000), failed(), timed(own("reduce"), 30'000)};
    runs[2].speed_up.reset();
    const auto json = parsed(reduction_steps_view(false), runs);
    ASSERT_EQ(json.size(), 3U);
    EXPECT_EQ(json[0]["share_of_peak"], 0.5);
    EXPECT_EQ(json[0]["median_ns"], 56'000.0);
    EXPECT_FALSE(json[0].contains("best"));
    EXPECT_FALSE(json[0].contains("note"));
    EXPECT_EQ(json[1]["outcome"], "failed");
    EXPECT_EQ(json[1]["note"], kNote);
    EXPECT_FALSE(json[1].contains("median_ns"));
    EXPECT_EQ(json[2]["article"], "jitune");
    EXPECT_TRUE(json[2]["speed_up"].is_null());
}

TEST(StepsReport, AFailedStepIsAFailedRun) {
    const StepsView view = reduction_steps_view(false);
    EXPECT_EQ(steps_exit_code(view, {}, false), kExitUnavailable);
    std::vector<StepRun> runs{timed(56'000)};
    EXPECT_EQ(steps_exit_code(view, runs, false), kExitOk);
    runs.push_back(failed());
    EXPECT_EQ(steps_exit_code(view, runs, false), kExitFailed);
    EXPECT_EQ(steps_exit_code(view, runs, true), kExitInterrupted);
    EXPECT_EQ(steps_exit_code(stencil_steps_view(), {}, false), kExitOk);
}

TEST(StepsReport, ALineOfTheStencilComparesEachKernelWithTheArticlesFirst) {
    std::vector<StepRun> runs;
    for (const Step& step : step_set("stencil").steps) {
        runs.push_back(timed(step, 100'000.0 / static_cast<double>(runs.size() + 1)));
    }
    const StepsView view = stencil_steps_view();
    EXPECT_EQ(StepsTable(view).header(),
              "radius    shared    sh 2    sh 4    sh 8    rc 1    rc 2    rc 4    rc 8  jitune  "
              "    time\n");
    EXPECT_EQ(line_of(view, runs),
              "     8    100 us   3.00x   5.00x   7.00x   2.00x   4.00x   6.00x   8.00x   9.00x  "
              " 11.1 us\n");
    runs[2] = failed(*runs[2].step);
    expect_words(line_of(view, runs), {"failed   5.00x"});
}

TEST(StepsReport, JsonOfTheStencilHasRadiusAndOutputs) {
    const std::vector<StepRun> runs{timed(step_set("stencil").steps[2], 5000),
                                    failed(step_set("stencil").steps[3]),
                                    timed(own("stencil"), 4000)};
    const auto json = parsed(stencil_steps_view(), runs);
    EXPECT_EQ(json[0].dump(),
              R"({"step":"shared","radius":8,"outputs_per_thread":2,"configuration":"block=256",)"
              R"("median_ns":5000.0,"noise":0.01})");
    EXPECT_EQ(json[1]["step"], "register_cache");
    EXPECT_EQ(json[1]["note"], kNote);
    EXPECT_TRUE(json[2]["outputs_per_thread"].is_null());
}

TEST(StepsReport, ALineOfAnEntropyHasEachSizeWithAndWithoutCopies) {
    const Step& step = step_set("entropy").steps.front();
    const StepInput inputs[] = {{ElementType::float32, 400}, {ElementType::float32, 2560}};
    std::vector<StepRun> runs{timed(step, 5000), failed(step)};
    runs[0].result.copies_ns = 3000;
    const StepsView view = entropy_steps_view(inputs);
    expect_words(StepsTable(view).header(), {"400^2", "2560^2"});
    expect_words(line_of(view, runs), {"v0", "cuda:0", "5.00 us / 8.00 us", "failed"});
}

TEST(StepsReport, APlacedEntropyHasOnlyAWholeTime) {
    const StepRun placed = timed(own("entropy"), 5000);
    const StepsView view = entropy_steps_view({&placed.input, 1});
    expect_words(line_of(view, {placed}), {"v14", "- / 5.00 us"});
    const auto json = parsed(view, {&placed, 1});
    EXPECT_FALSE(json[0].contains("kernel_ns"));
    EXPECT_FALSE(json[0].contains("copies_ns"));
    EXPECT_EQ(json[0]["whole_ns"], 5000.0);
    EXPECT_EQ(json[0]["outcome"], "timed");
}

}  // namespace
}  // namespace jitune::internal
