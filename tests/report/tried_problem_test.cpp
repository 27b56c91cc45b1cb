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

}  // namespace
}  // namespace jitune::internal
