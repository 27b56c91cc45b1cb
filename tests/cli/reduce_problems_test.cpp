// SPDX-License-Identifier: Apache-2.0
#include "cli/families/reduce_problems.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

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
