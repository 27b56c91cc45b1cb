// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_problems.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/sweep_result.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

using Texts = std::vector<std::string>;

Texts texts(const SweepWords& words) {
    Texts texts;
    for (const detail::ReduceRequest& problem : sweep_problems(words)) {
        texts.push_back(problem_text(problem));
    }
    return texts;
}

std::string refusal(const SweepWords& words) {
    try {
        sweep_problems(words);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        return error.what();
    }
    return "";
}

TEST(SweepProblems, AreEveryCombinationInTheOrderGiven) {
    EXPECT_EQ(
        texts({.types = "int8,float16", .ops = "any,mean", .sizes = "1000,2^20"}),
        (Texts{"int8 any 1000", "int8 any 2^20", "int8 mean 1000", "int8 mean 2^20",
               "float16 any 1000", "float16 any 2^20", "float16 mean 1000", "float16 mean 2^20"}));
}

TEST(SweepProblems, AreTheFloatSumWhereNothingIsSaid) {
    const Texts problems = texts({});
    EXPECT_EQ(problems.size(), 19U);
    EXPECT_EQ(problems.front(), "float32 sum 2^10");
    EXPECT_EQ(sweep_problems({}).front().reduction.determinism, Determinism::run_to_run);
}

TEST(SweepProblems, HaveSizesOfTheirOwnForEveryShape) {
    for (const char* shape : {"rows", "columns", "segments"}) {
        const auto problems = sweep_problems({.shape = shape});
        EXPECT_GE(problems.size(), 7U) << shape;
        EXPECT_GT(problems.front().shape.outer, 1) << shape;
    }
    EXPECT_EQ(texts({.shape = "columns", .sizes = "1024x65536,2^20x2^6,2^10x2^16"}),
              (Texts{"float32 sum columns 2^10x2^16", "float32 sum columns 2^20x64"}));
}

TEST(SweepProblems, OfAllTypesAndOperationsLeaveOutOnlyTheCustomOnes) {
    const auto problems = sweep_problems({.types = "all", .ops = "all", .sizes = "7"});
    EXPECT_EQ(problems.size(), 12U * 14U);
    for (const detail::ReduceRequest& problem : problems) {
        EXPECT_NE(problem.reduction.op, ReduceOp::custom);
        EXPECT_TRUE(has_own_result(problem));
    }
}

TEST(SweepProblems, NameTheResultThatIsNotTheOperationsOwn) {
    EXPECT_EQ(texts({.types = "int8", .result = "int64", .sizes = "9"}),
              (Texts{"int8 sum to int64 9"}));
    EXPECT_EQ(texts({.types = "int8", .result = "int32", .sizes = "9"}), (Texts{"int8 sum 9"}));
}

TEST(SweepProblems, RefuseWhatAnOperationDoesNotHave) {
    const std::string message = refusal({.types = "float32,int32", .result = "float64"});
    EXPECT_NE(message.find("sum of int32 has no result of type float64: use one of int32, int64"),
              std::string::npos)
        << message;
    EXPECT_NE(refusal({.ops = "sum,any", .result = "float64"}).find("any of float32"),
              std::string::npos);
    EXPECT_NE(refusal({.result = "float"}).find("float64"), std::string::npos);
}

TEST(SweepProblems, RefuseWordsThatAreNone) {
    EXPECT_NE(refusal({.types = "float8"}).find("bfloat16"), std::string::npos);
    EXPECT_NE(refusal({.types = "float32,,int8"}).find("--types"), std::string::npos);
    EXPECT_NE(refusal({.types = "all,int8"}), "");
    EXPECT_NE(refusal({.ops = "median"}).find("count_nonzero"), std::string::npos);
    EXPECT_NE(refusal({.ops = "custom"}).find("--custom FILE.toml"), std::string::npos);
    EXPECT_NE(refusal({.determinism = "pinned"}).find("--configuration"), std::string::npos);
    EXPECT_NE(refusal({.determinism = "none"}).find("run_to_run"), std::string::npos);
    EXPECT_NE(refusal({.shape = "row"}).find("segments"), std::string::npos);
}

TEST(SweepProblems, RefuseSizesOfAnotherShape) {
    EXPECT_NE(refusal({.sizes = "8x8"}), "");
    EXPECT_NE(refusal({.shape = "rows", .sizes = "64"}).find("1024x65536"), std::string::npos);
    EXPECT_NE(refusal({.shape = "rows", .sizes = "2^21x2^20"}).find("2^40"), std::string::npos);
    EXPECT_EQ(refusal({.shape = "segments", .sizes = "2^21x2^20"}), "");
}

SweepRow row_of(const SweepWords& words) {
    SweepRow row;
    row.problem = reduce_plan(words).problems.front();
    row.median_ns = 1000;
    row.default_median_ns = 1500;
    row.configuration = "block=32";
    return row;
}

TEST(SweepTable, HasAColumnForResultsWhereTheyAreAskedFor) {
    const SweepTable plain(reduce_plan({.ops = "sum,count_nonzero", .sizes = "1000"}), {"cuda:0"});
    EXPECT_EQ(plain.header().find("result"), std::string::npos);
    EXPECT_NE(plain.line(row_of({.sizes = "1000"})).find("sum            all    1000  "),
              std::string::npos)
        << plain.line(row_of({.sizes = "1000"}));
    const SweepWords wide{.types = "int8", .result = "int64", .sizes = "1000"};
    const SweepTable table(reduce_plan(wide), {"cuda:0"});
    EXPECT_NE(table.header().find("result"), std::string::npos);
    EXPECT_NE(table.line(row_of(wide)).find("int64"), std::string::npos);
}

TEST(SweepTable, MarksASearchThatDidNotEndByItself) {
    SweepResult result;
    result.rows.push_back(row_of({.sizes = "1000"}));
    result.rows[0].tune.evaluated = 485;
    result.rows[0].complete = true;
    const SweepTable table(reduce_plan({.sizes = "1000"}), {"cuda:0"});
    EXPECT_EQ(table.line(result.rows[0]).find("485*"), std::string::npos);
    EXPECT_TRUE(sweep_summary(result).starts_with("1 tuned"));
    result.rows[0].complete = false;
    result.rows[0].certainty.conditions = "clocks=noisy";
    EXPECT_NE(table.line(result.rows[0]).find("485*"), std::string::npos);
    EXPECT_TRUE(sweep_summary(result).starts_with("* ended before the strategy was done"));
    EXPECT_NE(sweep_summary(result).find("\n? disturbed by"), std::string::npos);
}

TEST(SweepTable, SaysWhyARowHasNoTime) {
    SweepRow row = row_of({.sizes = "1000"});
    row.outcome = SweepRow::Outcome::skipped;
    row.note = "not enough\nmemory";
    EXPECT_TRUE(SweepTable(reduce_plan({}), {"cuda:0"})
                    .line(row)
                    .ends_with("skipped: not enough memory\n"));
}

TEST(SweepResult, CountsAllBytesThatAreReadAndWritten) {
    SweepResult result;
    result.rows = {row_of({.types = "int16", .shape = "rows", .sizes = "100x10"}),
                   row_of({.shape = "columns", .sizes = "100x10"}),
                   row_of({.types = "int8", .shape = "segments", .sizes = "100x1000"})};
    const auto rows = nlohmann::json::parse(sweep_json(result).text())["rows"];
    EXPECT_DOUBLE_EQ(rows[0]["gb_per_s"].get<double>(), (2000 + 400) / 1000.0);
    EXPECT_DOUBLE_EQ(rows[1]["gb_per_s"].get<double>(), (4000 + 40) / 1000.0);
    EXPECT_DOUBLE_EQ(rows[2]["gb_per_s"].get<double>(), (1000 + 400 + 808) / 1000.0);
    EXPECT_EQ(rows[0]["rows"], 100);
    EXPECT_EQ(rows[1]["columns"], 10);
    EXPECT_EQ(rows[2]["segments"], 100);
    for (const auto& row : rows) {
        EXPECT_EQ(row["n"], 1000);
    }
}

}  // namespace
}  // namespace jitune::internal
