// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/time_left.hpp"

#include <cstdlib>
#include <ctime>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

double seconds_until(const Deadline& deadline) {
    return deadline
               ? std::chrono::duration<double>(*deadline - std::chrono::steady_clock::now()).count()
               : -1;
}

TEST(TimeLeft, ReadsWhatSqueuePrints) {
    EXPECT_EQ(parse_slurm_time("2-03:04:05\n"), 2 * 86400 + 3 * 3600 + 4 * 60 + 5);
    EXPECT_EQ(parse_slurm_time("3:04:05"), 3 * 3600 + 4 * 60 + 5);
    EXPECT_EQ(parse_slurm_time("0:30"), 30);
    for (const char* const text : {"", "UNLIMITED", "INVALID", "NOT_SET", "12", "-1:00", "1:", ":1",
                                   "1:2:3:4", "1-", "0:30 0:40"}) {
        EXPECT_EQ(parse_slurm_time(text), std::nullopt) << text;
    }
}

TEST(TimeLeft, TheOptionIsSurerThanSlurm) {
    ::setenv("SLURM_JOB_END_TIME", std::to_string(std::time(nullptr) + 5000).c_str(), 1);
    EXPECT_NEAR(seconds_until(end_of_job("100")), 100, 50);
    EXPECT_NEAR(seconds_until(end_of_job("")), 5000, 50);
    ::setenv("SLURM_JOB_END_TIME", "1", 1);  // long ago
    EXPECT_LT(seconds_until(end_of_job("")), 1);
    ::setenv("SLURM_JOB_END_TIME", "soon", 1);
    EXPECT_EQ(end_of_job(""), std::nullopt);
    ::unsetenv("SLURM_JOB_END_TIME");
}

}  // namespace
}  // namespace jitune::internal
