// SPDX-License-Identifier: Apache-2.0
#include "report/tried_problem.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

Measurement measured(const std::string& configuration, std::vector<double> samples_ns,
                     const std::string& conditions = "l2=cold", const std::string& sizes = "n=8") {
    Measurement one;
    one.key.kernel = "reduce";
    one.sizes = sizes;
    one.configuration = configuration;
    one.conditions = conditions;
    one.samples_ns = std::move(samples_ns);
    one.verdict = one.samples_ns.empty() ? Verdict::compile_failed : Verdict::timed;
    one.reason = one.samples_ns.empty() ? "\n  error: too much\nmore" : "";
    return one;
}

TEST(TriedProblem, IsAboutTheSizeThatWasSearchedMost) {
    const std::vector<Measurement> rows{
        measured("a=1", {4}, "l2=cold", "n=9"), measured("a=1", {3}), measured("a=2", {2}),
        measured("a=2", {1}, "compared", "n=9"), measured("a=1", {1}, "compared", "n=9")};
    const auto problem = tried_problem(rows, {});
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->sizes, "n=8");
    EXPECT_EQ(problem->candidates.size(), 2U);
    EXPECT_EQ(problem->candidates[1].ns, 2);
    EXPECT_FALSE(problem->winner);
}

TEST(TriedProblem, IsNothingWhereSizesWereComparedAlone) {
    EXPECT_FALSE(tried_problem({measured("a=1", {4}, "compared")}, {}));
    EXPECT_FALSE(tried_problem({}, {}));
}

TEST(TriedProblem, HasTheLastFinalsFastestFirst) {
    const auto problem =
        tried_problem({measured("a=1", {3}), measured("a=1", {9, 9, 9}, "interleaved"),
                       measured("a=2", {5, 6, 7}, "interleaved cpu=contended"),
                       measured("a=1", {4, 4, 4}, "interleaved")},
                      {});
    ASSERT_EQ(problem->finals.size(), 2U);
    EXPECT_EQ(problem->finals[0].median_ns, 4);
    EXPECT_EQ(problem->finals[1].configuration, "a=2");
    EXPECT_TRUE(problem->finals[1].conditions.contended);
}

TEST(TriedProblem, FindsItsWinnerByKeyAndSizes) {
    Winner other;
    other.key.kernel = "reduce";
    other.sizes = "n=9";
    Winner own = other;
    own.sizes = "n=8";
    own.configuration = "a=2";
    const auto problem = tried_problem({measured("a=2", {2})}, std::vector{other, own});
    ASSERT_TRUE(problem->winner);
    EXPECT_EQ(problem->winner->configuration, "a=2");
}

TEST(ParameterEffects, CompareMediansAndPutTheLargestFirst) {
    const std::vector<TriedCandidate> candidates{{"block=1 load=4", Verdict::timed, 10, ""},
                                                 {"block=1 load=8", Verdict::timed, 11, ""},
                                                 {"block=2 load=4", Verdict::timed, 30, ""},
                                                 {"block=2 load=8", Verdict::timed, 33, ""},
                                                 {"block=3 load=8", Verdict::crashed, 0, ""}};
    const auto effects = parameter_effects(candidates);
    ASSERT_EQ(effects.size(), 2U);
    EXPECT_EQ(effects[0].name, "block");
    EXPECT_EQ(effects[0].values[0].value, "1");
    EXPECT_DOUBLE_EQ(effects[0].values[0].best, 1);
    EXPECT_DOUBLE_EQ(effects[0].values[1].median, 3.3);
    EXPECT_EQ(effects[0].values.size(), 2U) << "3 was never timed";
    EXPECT_EQ(effects[1].name, "load");
}

TEST(ParameterEffects, OutliersMoveNoMedian) {
    const std::vector<TriedCandidate> candidates{{"a=1", Verdict::timed, 10, ""},
                                                 {"a=1", Verdict::timed, 900, ""},
                                                 {"a=1", Verdict::timed, 12, ""},
                                                 {"a=2", Verdict::timed, 20, ""}};
    EXPECT_DOUBLE_EQ(parameter_effects(candidates)[0].values[0].median, 1.2);
}

TEST(ParameterEffects, LeaveOutWhatHasOneValueOrIsNoSetting) {
    const std::vector<TriedCandidate> candidates{{"a=1 odd  =", Verdict::timed, 1, ""},
                                                 {"a=1", Verdict::timed, 2, ""},
                                                 {"", Verdict::timed, 2, ""}};
    EXPECT_TRUE(parameter_effects(candidates).empty());
    EXPECT_TRUE(parameter_effects({}).empty());
}

TEST(FailureCounts, GoByVerdictAndFirstLine) {
    const std::vector<TriedCandidate> candidates{
        {"a=1", Verdict::compile_failed, 0, "\n  error: too much\nmore"},
        {"a=2", Verdict::crashed, 0, "error: too much"},
        {"a=3", Verdict::timed, 1, ""},
        {"a=4", Verdict::compile_failed, 0, "error: too much\nother"}};
    const auto failures = failure_counts(candidates);
    ASSERT_EQ(failures.size(), 2U);
    EXPECT_EQ(failures[0].count, 2U);
    EXPECT_EQ(failures[0].reason, "error: too much");
    EXPECT_EQ(failures[0].configuration, "a=1");
    EXPECT_EQ(failures[1].verdict, Verdict::crashed);
}

TEST(FailureCounts, TakeAReasonWithoutText) {
    EXPECT_EQ(
        failure_counts(std::vector<TriedCandidate>{{"a=1", Verdict::crashed, 0, " \n"}})[0].reason,
        "");
}

}  // namespace
}  // namespace jitune::internal
