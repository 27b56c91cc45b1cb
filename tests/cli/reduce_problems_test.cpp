// SPDX-License-Identifier: Apache-2.0
#include "cli/families/reduce_problems.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/app/exit_code.hpp"
#include "cli/sweep/sweep_text.hpp"
#include "families/families.hpp"
#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

using Texts = std::vector<std::string>;

std::vector<SweptReduction> reductions(const FamilyArguments& given) {
    return swept_reductions(sweep_arguments(reduce_sweep_family(), given));
}

std::vector<detail::ReduceRequest> requests(const FamilyArguments& given) {
    std::vector<detail::ReduceRequest> requests;
    for (const SweptReduction& one : reductions(given)) {
        requests.push_back(one.request);
    }
    return requests;
}

Texts texts(const FamilyArguments& given) {
    Texts texts;
    for (const SweptReduction& one : reductions(given)) {
        texts.push_back(reduction_text(one));
    }
    return texts;
}

std::string refusal_of(const FamilyArguments& given) {
    return refusal([&] { return requests(given); });
}

TEST(ReduceProblems, AreEveryCombinationInTheOrderGiven) {
    EXPECT_EQ(
        texts({{"--types", "int8,float16"}, {"--ops", "any,mean"}, {"--sizes", "1000,2^20"}}),
        (Texts{"int8 any 1000", "int8 any 2^20", "int8 mean 1000", "int8 mean 2^20",
               "float16 any 1000", "float16 any 2^20", "float16 mean 1000", "float16 mean 2^20"}));
}

TEST(ReduceProblems, AreTheFloatSumByDefault) {
    const Texts problems = texts({});
    EXPECT_EQ(problems, Texts{"float32 sum 2^10..2^28"});
    EXPECT_EQ(requests({}).front().reduction.determinism, Determinism::run_to_run);
}

TEST(ReduceProblems, ARangeOfMatricesIsOneForEachAlignmentOfItsRows) {
    const FamilyArguments given{{"--shape", "rows"}, {"--sizes", "16x16..2^16x2^16"}};
    EXPECT_EQ(texts(given), (Texts{"float32 sum rows 16x16..2^16x2^16 by 16 bytes",
                                   "float32 sum rows 16x16..2^16x2^16 by 4 bytes",
                                   "float32 sum rows 16x16..2^16x2^16 by 8 bytes"}));
    EXPECT_EQ(texts({{"--shape", "rows"}, {"--sizes", "16x16..64x16"}}),
              Texts{"float32 sum rows 16x16..64x16 by 16 bytes"});
    const SweepPlan plan =
        reduce_sweep_family().plan(sweep_arguments(reduce_sweep_family(), given));
    for (const PlannedProblem& one : plan.problems) {
        EXPECT_EQ(one.problem.domain, (SizeBox{{16, 16}, {65536, 65536}}));
        EXPECT_EQ(one.problem.problem.multiples[1] * 4, one.problem.problem.alignment);
    }
}

TEST(ReduceProblems, HaveDefaultSizesForEveryShape) {
    for (const char* shape : {"rows", "columns", "segments"}) {
        const auto problems = requests({{"--shape", shape}});
        EXPECT_GE(problems.size(), 7U) << shape;
        EXPECT_GT(problems.front().shape.outer, 1) << shape;
    }
    EXPECT_EQ(texts({{"--shape", "columns"}, {"--sizes", "1024x65536,2^20x2^6,2^10x2^16"}}),
              (Texts{"float32 sum columns 2^10x2^16", "float32 sum columns 2^20x64"}));
}

TEST(ReduceProblems, OfAllTypesAndOperationsLeaveOutOnlyTheCustomOnes) {
    const auto problems = requests({{"--types", "all"}, {"--ops", "all"}, {"--sizes", "7"}});
    EXPECT_EQ(problems.size(), 12U * 14U);
    for (const detail::ReduceRequest& problem : problems) {
        EXPECT_NE(problem.reduction.op, ReduceOp::custom);
        EXPECT_TRUE(has_own_result(problem));
    }
}

TEST(ReduceProblems, NameTheResultThatIsNotTheOperationsOwn) {
    EXPECT_EQ(texts({{"--types", "int8"}, {"--result", "int64"}, {"--sizes", "9"}}),
              (Texts{"int8 sum to int64 9"}));
    EXPECT_EQ(texts({{"--types", "int8"}, {"--result", "int32"}, {"--sizes", "9"}}),
              (Texts{"int8 sum 9"}));
}

TEST(ReduceProblems, RefuseResultTypesThatAnOperationDoesNotHave) {
    const std::string message = refusal_of({{"--types", "float32,int32"}, {"--result", "float64"}});
    EXPECT_NE(message.find("sum of int32 has no result of type float64: use one of int32, int64"),
              std::string::npos)
        << message;
    EXPECT_NE(refusal_of({{"--ops", "sum,any"}, {"--result", "float64"}}).find("any of float32"),
              std::string::npos);
    EXPECT_NE(refusal_of({{"--result", "float"}}).find("float64"), std::string::npos);
}

TEST(ReduceProblems, RefuseUnknownNames) {
    EXPECT_NE(refusal_of({{"--types", "float8"}}).find("bfloat16"), std::string::npos);
    EXPECT_NE(refusal_of({{"--types", "float32,,int8"}}).find("--types"), std::string::npos);
    EXPECT_NE(refusal_of({{"--types", "all,int8"}}), "");
    EXPECT_NE(refusal_of({{"--ops", "median"}}).find("count_nonzero"), std::string::npos);
    EXPECT_NE(refusal_of({{"--ops", "custom"}}).find("--custom FILE.toml"), std::string::npos);
    EXPECT_NE(refusal_of({{"--determinism", "pinned"}}).find("--configuration"), std::string::npos);
    EXPECT_NE(refusal_of({{"--determinism", "none"}}).find("run_to_run"), std::string::npos);
    EXPECT_NE(refusal_of({{"--shape", "row"}}).find("segments"), std::string::npos);
}

TEST(ReduceProblems, RefuseSizesOfAnotherShape) {
    EXPECT_NE(refusal_of({{"--sizes", "8x8"}}), "");
    EXPECT_NE(refusal_of({{"--shape", "rows"}, {"--sizes", "64"}}).find("1024x65536"),
              std::string::npos);
    EXPECT_NE(refusal_of({{"--shape", "rows"}, {"--sizes", "2^21x2^20"}}).find("2^40"),
              std::string::npos);
    EXPECT_EQ(refusal_of({{"--shape", "segments"}, {"--sizes", "2^21x2^20"}}), "");
}

SweepPlan plan_of(const FamilyArguments& given) {
    const SweepFamily family = reduce_sweep_family();
    return family.plan(sweep_arguments(family, given));
}

/// A row of the first problem of a plan.
SweepRow row_of(const SweepPlan& plan) {
    SweepRow row;
    row.bytes = plan.problems.front().problem.bytes;
    row.median_ns = 1000;
    row.default_median_ns = 1500;
    row.configuration = "block=32";
    return row;
}

TEST(SweepTable, HasAColumnForResultsWhereTheyAreAskedFor) {
    const SweepPlan plain = plan_of({{"--ops", "sum,count_nonzero"}, {"--sizes", "1000"}});
    const SweepTable table(plain, {"cuda:0"}, kWhole);
    EXPECT_EQ(table.header().find("result"), std::string::npos);
    const std::string line = table.lines(row_of(plain));
    EXPECT_NE(line.find("sum            all    1000  "), std::string::npos) << line;
    const SweepPlan wide =
        plan_of({{"--types", "int8"}, {"--result", "int64"}, {"--sizes", "1000"}});
    const SweepTable wide_table(wide, {"cuda:0"}, kWhole);
    EXPECT_NE(wide_table.header().find("result"), std::string::npos);
    EXPECT_NE(wide_table.lines(row_of(wide)).find("int64"), std::string::npos);
}

TEST(SweepTable, NamesTheDeviceWhereThereAreSeveral) {
    const SweepPlan plan = plan_of({{"--sizes", "1000"}});
    SweepRow row = row_of(plan);
    row.device = "cuda:1";
    const SweepTable table(plan, {"cuda:0", "cuda:1"}, kWhole);
    EXPECT_NE(table.header().find("size  device"), std::string::npos) << table.header();
    EXPECT_NE(table.lines(row).find("1000  cuda:1"), std::string::npos) << table.lines(row);
    EXPECT_EQ(SweepTable(plan, {"cuda:1"}, kWhole).lines(row).find("cuda:1"), std::string::npos);
    SweepDescription sweep;
    sweep.device = "cuda:0, cuda:1";
    sweep.device_name = "Fake";
    sweep.compiler = "NVRTC 12.8";
    sweep.strategy = "auto";
    EXPECT_EQ(sweep_title(plan, sweep),
              "reduce on cuda:0, cuda:1 (Fake), NVRTC 12.8, run_to_run, strategy auto\n");
}

TEST(SweepTable, MarksASearchThatDidNotEndByItself) {
    const SweepPlan plan = plan_of({{"--sizes", "1000"}});
    SweepResult result;
    result.rows.push_back(row_of(plan));
    result.rows[0].tune.evaluated = 485;
    result.rows[0].complete = true;
    const SweepTable table(plan, {"cuda:0"}, kWhole);
    EXPECT_EQ(table.lines(result.rows[0]).find("us*"), std::string::npos);
    EXPECT_TRUE(sweep_summary(plan, result).starts_with("1 tuned"));
    result.rows[0].complete = false;
    result.rows[0].certainty.conditions = "clocks=noisy";
    EXPECT_NE(table.lines(result.rows[0]).find("1.00 us*"), std::string::npos);
    EXPECT_TRUE(sweep_summary(plan_of({{"--sizes", "1000"}}), result)
                    .starts_with("* ended before the strategy was done"));
    EXPECT_NE(sweep_summary(plan_of({{"--sizes", "1000"}}), result).find("\n? disturbed by"),
              std::string::npos);
}

TEST(SweepTable, SaysWhyARowHasNoTime) {
    const SweepPlan plan = plan_of({});
    SweepRow row = row_of(plan);
    row.outcome = SweepRow::Outcome::not_started;
    row.note = "not enough\nmemory";
    EXPECT_TRUE(SweepTable(plan, {"cuda:0"}, kWhole)
                    .lines(row)
                    .ends_with("not started: not enough memory\n"));
}

TEST(SweepText, CallsNoProblemTunedThatWasHandedBack) {
    const SweepPlan plan = plan_of({});
    SweepRow row = row_of(plan);
    row.outcome = SweepRow::Outcome::handed_back;
    row.note = "stopped";
    const auto json = nlohmann::json::parse(sweep_row_json(plan, row, true).text());
    EXPECT_EQ(json["outcome"], "handed back");
    EXPECT_EQ(json["note"], "stopped");
    EXPECT_FALSE(json.contains("stored"));
    EXPECT_TRUE(
        SweepTable(plan, {"cuda:0"}, kWhole).lines(row).ends_with(" handed back: stopped\n"));
}

/// The last line below the table of a sweep that is done.
std::string last_line(const SweepPlan& plan, SweepResult result) {
    result.problems = plan.problems.size();
    std::string text = sweep_summary(plan, result);
    text.pop_back();
    return text.substr(text.rfind('\n') + 1);
}

Winner serving(const std::string& sizes, bool unsure) {
    Winner winner;
    winner.key.kernel = "reduce";
    winner.sizes = "n=1024";
    winner.configuration = "block=64";
    winner.median_ns = 100;
    winner.default_median_ns = unsure ? 90 : 150;
    winner.range.covers = sizes;
    winner.range.unsure = unsure;
    return winner;
}

TEST(SweepGain, TellsHowMuchOfWhatWasAskedForIsServed) {
    const SweepPlan plan = plan_of({{"--sizes", "1024..16383"}});
    SweepResult result;
    result.rows.push_back({});
    result.rows[0].ranges = {serving("n=1024..2047", false), serving("n=2048..16383", true)};
    EXPECT_EQ(last_line(plan, result),
              "gained: 1.20x (0.90x to 1.50x); 25.0 % of the sizes are served for sure");
    EXPECT_NE(sweep_summary(plan, result).find("jitune db coverage"), std::string::npos);
    result.rows[0].ranges = {serving("n=1024..2047", false)};
    EXPECT_EQ(last_line(plan, result), "gained: 1.50x; 25.0 % of the sizes are served for sure")
        << "sizes that no range serves count, too";
    result.rows[0].ranges = {serving("n=512..8191", false), serving("n=1024..32767", false)};
    EXPECT_TRUE(last_line(plan, result).ends_with("; 100.0 % of the sizes are served for sure"));
    result.rows.clear();
    EXPECT_EQ(last_line(plan, result), "gained: nothing; 0.0 % of the sizes are served for sure");
}

TEST(SweepGain, IsOverWhatAnsweredBeforeNotOverTheDefault) {
    const SweepPlan plan = plan_of({{"--sizes", "1000"}});
    SweepResult result;
    result.rows.push_back(row_of(plan));
    result.rows[0].before_ns = 1100;
    EXPECT_EQ(last_line(plan, result), "gained: 1.10x; 100.0 % of the sizes are served for sure");
    result.rows[0].certainty.uncertainty = 0.5;
    EXPECT_EQ(last_line(plan, result), "gained: 1.10x; 0.0 % of the sizes are served for sure");
    result.rows[0].certainty.uncertainty = 0;
    result.rows[0].outcome = SweepRow::Outcome::skipped;
    EXPECT_EQ(last_line(plan, result), "gained: nothing; 100.0 % of the sizes are served for sure");
    result.rows[0].outcome = SweepRow::Outcome::failed;
    EXPECT_EQ(last_line(plan, result), "gained: nothing; 0.0 % of the sizes are served for sure");
}

TEST(SweepGain, CountsAProblemOnceThatWasTunedAgain) {
    SweepPlan plan = plan_of({{"--sizes", "1000"}});
    plan.problems.push_back(plan.problems[0]);
    plan.problems[1].problem.again_of = 0;
    SweepResult result;
    result.rows.assign(2, row_of(plan));
    result.rows[1].problem = 1;
    result.problems = 1;
    EXPECT_NE(sweep_summary(plan, result).find("; 100.0 % of"), std::string::npos);
    result.rows[0].outcome = SweepRow::Outcome::failed;
    EXPECT_NE(sweep_summary(plan, result).find("; 100.0 % of"), std::string::npos);
}

TEST(SweepTable, HasALineForAProblemAndItsRangesWhereAllIsAskedFor) {
    const SweepPlan plan = plan_of({{"--sizes", "1024..16383"}});
    SweepRow row;
    row.ranges = {serving("n=1024..2047", false), serving("n=2048..16383", true)};
    row.ranges[1].configuration = std::string(300, 'x');
    const std::string narrow = SweepTable(plan, {"cuda:0"}, 80).lines(row);
    EXPECT_EQ(std::count(narrow.begin(), narrow.end(), '\n'), 1) << narrow;
    EXPECT_LE(narrow.size(), 81U) << narrow;
    EXPECT_NE(narrow.find("0.90x..1.50x  2 for 25.0 %\n"), std::string::npos) << narrow;
    const std::string whole = SweepTable(plan, {"cuda:0"}, kWhole).lines(row);
    EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 3) << whole;
    EXPECT_NE(whole.find("2 for 25.0 %"), std::string::npos) << whole;
    EXPECT_NE(whole.find("unsure n=2048..16383"), std::string::npos) << whole;
}

TEST(SweepText, DoesNotCallAProblemSkippedThatCouldNotStart) {
    SweepResult result;
    result.database = "/tuning.db";
    result.rows.push_back(row_of(plan_of({{"--sizes", "1000"}})));
    result.rows[0].outcome = SweepRow::Outcome::not_started;
    EXPECT_TRUE(sweep_summary(plan_of({{"--sizes", "1000"}}), result)
                    .starts_with("0 tuned, 0 skipped, 1 not started, 0 failed"));
    EXPECT_NE(
        sweep_summary(plan_of({{"--sizes", "1000"}}), result).find("; no new winner to store\n"),
        std::string::npos);
    result.rows.push_back(row_of(plan_of({{"--sizes", "1000"}})));
    result.rows[1].stored = true;
    EXPECT_EQ(sweep_exit_code(result), kExitUnavailable) << "though another problem was tuned";
    EXPECT_NE(
        sweep_summary(plan_of({{"--sizes", "1000"}}), result).find("; stored in /tuning.db\n"),
        std::string::npos);
}

TEST(SweepText, CountsWinnersThatCouldNotBeStored) {
    SweepResult result;
    result.rows.assign(3, row_of(plan_of({{"--sizes", "1000"}})));
    result.rows[0].stored = true;
    EXPECT_NE(
        sweep_summary(plan_of({{"--sizes", "1000"}}), result).find("nothing was stored, without a"),
        std::string::npos);
    EXPECT_EQ(sweep_exit_code(result), kExitOk);
    result.database = "/tuning.db";
    EXPECT_NE(sweep_summary(plan_of({{"--sizes", "1000"}}), result)
                  .find("2 of 3 winners could not be stored in /tuning.db\n"),
              std::string::npos);
    EXPECT_EQ(sweep_exit_code(result), kExitStore);
}

TEST(SweepTable, ShowsTheWinnerOfACompleteProblemThatWasSkipped) {
    const SweepPlan plan = plan_of({{"--sizes", "1000"}});
    SweepResult result;
    result.rows = {row_of(plan)};
    SweepRow& row = result.rows[0];
    row.outcome = SweepRow::Outcome::skipped;
    row.complete = true;
    row.note = "complete";
    row.configuration = "block=256";
    const std::string line = SweepTable(plan, {"cuda:0"}, kWhole).lines(row);
    EXPECT_NE(line.find("us"), std::string::npos) << line;
    EXPECT_TRUE(line.ends_with("skipped: complete: block=256\n")) << line;
    EXPECT_NE(sweep_summary(plan_of({{"--sizes", "1000"}}), result)
                  .find("--again races their winners\n0 tuned, 1 skipped, 0 not "),
              std::string::npos);
    EXPECT_EQ(sweep_exit_code(result), kExitOk);
}

TEST(SweepText, TellsAnInterruptedSweepByItsSummaryAndExitCode) {
    SweepResult result;
    result.problems = 8;
    result.begun = 1;
    result.rows.push_back(row_of(plan_of({{"--sizes", "1000"}})));
    EXPECT_EQ(sweep_exit_code(result), kExitOk);
    result.interrupted = true;
    EXPECT_EQ(sweep_exit_code(result), kExitInterrupted);
    EXPECT_NE(sweep_summary(plan_of({{"--sizes", "1000"}}), result)
                  .find("1 of 8 problems were begun\n1 tuned"),
              std::string::npos);
    result.rows.clear();
    result.begun = 2;
    TuneProgress tune;
    tune.range = {3, 21, 40, 0};
    result.stopped = {{"float32 sum 2^10..2^20", "cuda:1", tune},
                      {"float32 max 2^10..2^20", "cuda:0", {}}};
    EXPECT_NE(
        sweep_summary(plan_of({{"--sizes", "1000"}}), result)
            .find("2 of 8 problems were begun\n"
                  "stopped in the middle: float32 sum 2^10..2^20 on cuda:1, searched 3/21 sizes, "
                  "compared 40\n"
                  "stopped in the middle: float32 max 2^10..2^20 on cuda:0, before its first"),
        std::string::npos)
        << sweep_summary(plan_of({{"--sizes", "1000"}}), result);
}

TEST(SweepText, HasNoRateWhereTheBytesAreNotKnown) {
    const SweepPlan plan = plan_of({{"--sizes", "1000"}});
    SweepResult result;
    result.rows = {row_of(plan)};
    result.rows[0].bytes = 0;
    const std::string line = SweepTable(plan, {"cuda:0"}, kWhole).lines(result.rows[0]);
    EXPECT_EQ(line.find(" 0.00 "), std::string::npos) << line;
    EXPECT_NE(sweep_json(plan, result).text().find("\"gb_per_s\":null"), std::string::npos);
}

TEST(SweepText, CountsAllBytesThatAreReadAndWritten) {
    const auto row_json = [](const FamilyArguments& given) {
        const SweepPlan plan = plan_of(given);
        SweepResult result;
        result.rows = {row_of(plan)};
        return nlohmann::json::parse(sweep_json(plan, result).text())["rows"][0];
    };
    const auto rows = row_json({{"--types", "int16"}, {"--shape", "rows"}, {"--sizes", "100x10"}});
    EXPECT_DOUBLE_EQ(rows["gb_per_s"].get<double>(), (2000 + 400) / 1000.0);
    EXPECT_EQ(rows["rows"], 100);
    EXPECT_EQ(rows["n"], 1000);
    const auto columns = row_json({{"--shape", "columns"}, {"--sizes", "100x10"}});
    EXPECT_DOUBLE_EQ(columns["gb_per_s"].get<double>(), (4000 + 40) / 1000.0);
    EXPECT_EQ(columns["columns"], 10);
    const auto segments =
        row_json({{"--types", "int8"}, {"--shape", "segments"}, {"--sizes", "100x1000"}});
    EXPECT_DOUBLE_EQ(segments["gb_per_s"].get<double>(), (1000 + 400 + 808) / 1000.0);
    EXPECT_EQ(segments["segments"], 100);
    EXPECT_EQ(segments["n"], 1000);
}

TEST(SweepFamilies, AreFamilies) {
    for (const SweepFamily& swept : sweep_families()) {
        const auto rows = families();
        EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [&](const Family& row) {
            return row.name == swept.name;
        })) << swept.name;
        EXPECT_EQ(&sweep_family(swept.name), &swept);
        const SweepPlan plan = swept.plan(sweep_arguments(swept));
        EXPECT_EQ(plan.kernel, swept.name);
        ASSERT_FALSE(plan.problems.empty()) << swept.name;
        EXPECT_EQ(plan.problems.front().cells.size(), plan.columns.size()) << swept.name;
    }
}

}  // namespace
}  // namespace jitune::internal
