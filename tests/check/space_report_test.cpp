// SPDX-License-Identifier: Apache-2.0
#include "check/space_report.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

KernelTemplate kernel_with(const std::string& rules) {
    return KernelTemplate({"k.cu",
                           "/* jitune template\nkernel = \"k\"\nbackend = \"host\"\n"
                           "sizes = [\"n\"]\n" +
                               rules +
                               "\n[parameters]\n"
                               "a = { values = [1, 2, 4, 8], default = 2 }\n"
                               "b = { values = [1, 2, 3], default = 1 }\n"
                               "c = { values = [0, 1], default = 0 }\n"
                               "[arguments]\nx = { access = \"in\", type = \"int32\", count = "
                               "\"n\" }\n[[launch]]\nentry = \"k\"\narguments = [\"x\"]\n*/\n",
                           {}});
}

const Problem kProblem{"k", {}, {6}};

TEST(SpaceReport, CountsWhatEachConstraintRemovesByItself) {
    const SpaceReport report =
        report_space(kernel_with("constraints = [\"a * b <= n\", \"n > 5\"]\nprune = [\"c = 0\"]"),
                     kProblem, {});
    EXPECT_EQ(report.combinations, 24);
    ASSERT_EQ(report.effects.size(), 3U);
    EXPECT_EQ(report.effects[0].text, "a * b <= n");
    EXPECT_EQ(report.effects[0].removed, 10);  // 4x2, 4x3, 8x1, 8x2, 8x3, each with both c
    EXPECT_EQ(report.effects[1].removed, 0);
    EXPECT_EQ(report.effects[2].removed, 12);
    EXPECT_TRUE(report.effects[2].is_prune);
    EXPECT_EQ(report.legal, 7U);
    EXPECT_EQ(report.flaw, "");
}

TEST(SpaceReport, SaysWhatEmptiesASpace) {
    const SpaceReport report = report_space(kernel_with("constraints = [\"b > 3\"]"), kProblem, {});
    EXPECT_EQ(report.effects[0].removed, 24);
    EXPECT_EQ(report.legal, 0U);
    EXPECT_NE(report.flaw.find("b > 3"), std::string::npos);
}

TEST(CheckSample, HasTheDefaultAndBothEndsOfEachParameter) {
    const KernelTemplate kernel = kernel_with("constraints = [\"a * b <= 8\"]");
    const SearchSpace space = kernel.space(kProblem, {});
    const Configuration standard = kernel.default_of(kProblem, {}, &space).configuration;
    std::vector<std::string> texts;
    for (const Configuration& one : check_sample(space, standard, {}, 7)) {
        texts.push_back(one.text());
    }
    ASSERT_EQ(texts.size(), 7U);
    EXPECT_EQ(texts[0], "a=2 b=1 c=0");
    EXPECT_EQ(texts[1], "a=1 b=1 c=0");
    EXPECT_EQ(texts[2], "a=8 b=1 c=0");
    EXPECT_EQ(texts[3], "a=2 b=3 c=0");
    EXPECT_EQ(texts[4], "a=2 b=1 c=1");
    EXPECT_EQ(check_sample(space, standard, {}, 0).size(), space.size());
    EXPECT_EQ(check_sample(space, standard, {}, 1000).size(), space.size());
    EXPECT_EQ(check_sample(space, standard, {}, 1).size(), 1U);
}

}  // namespace
}  // namespace jitune::internal
