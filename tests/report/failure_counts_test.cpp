// SPDX-License-Identifier: Apache-2.0
#include "report/failure_counts.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

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
