// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_text.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/app/exit_code.hpp"
#include "cli/families/reduce_problems.hpp"

namespace jitune::internal {
namespace {

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

TEST(SweepTable, GivesAReasonThatDoesNotFitALineOfItsOwn) {
    constexpr std::size_t kTerminal = 80;
    const SweepPlan plan = plan_of({{"--sizes", "1000"}});
    const SweepTable table(plan, {"host"}, kTerminal);
    SweepRow row = row_of(plan);
    row.outcome = SweepRow::Outcome::skipped;
    row.note = "its winner is provisional, and the device is too busy for another try";
    const std::string lines = table.lines(row);
    EXPECT_TRUE(lines.ends_with(" block=32\n  skipped: " + row.note + '\n')) << lines;
    row.note = "short";
    const std::string line = table.lines(row);  // its configuration is cut
    EXPECT_NE(line.find("  skipped: short: "), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
}

TEST(SweepText, CallsNoProblemTunedThatWasHandedBack) {
    const SweepPlan plan = plan_of({});
    SweepRow row = row_of(plan);
    row.outcome = SweepRow::Outcome::handed_back;
    row.note = "stopped";
    const auto json = nlohmann::json::parse(sweep_row_json(plan, row, true).dump());
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
    EXPECT_NE(sweep_json(plan, result).dump().find("\"gb_per_s\":null"), std::string::npos);
}

TEST(SweepText, CountsAllBytesThatAreReadAndWritten) {
    const auto row_json = [](const FamilyArguments& given) {
        const SweepPlan plan = plan_of(given);
        SweepResult result;
        result.rows = {row_of(plan)};
        return nlohmann::json::parse(sweep_json(plan, result).dump())["rows"][0];
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

}  // namespace
}  // namespace jitune::internal
