// SPDX-License-Identifier: Apache-2.0
#include "check/finding.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

using Level = Finding::Level;

TEST(CompilerLog, ReadsWhatNvrtcSays) {
    const auto findings = read_compiler_log(
        "dir/k.cu(27): warning #177-D: variable \"x\" was declared but never referenced\n"
        "      int x = 3;\n"
        "          ^\n\n"
        "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n"
        "dir/k.cu(29): error: identifier \"y\" is undefined\n"
        "      z = y;\n"
        "          ^\n"
        "k.cu(3): catastrophic error: cannot open source file \"info.h\"\n"
        "1 error detected in the compilation of \"k.cu\".\n");
    ASSERT_EQ(findings.size(), 3U);
    EXPECT_EQ(findings[0].level, Level::warning);
    EXPECT_EQ(findings[0].place, "dir/k.cu:27");
    EXPECT_EQ(findings[0].text, "#177-D: variable \"x\" was declared but never referenced");
    EXPECT_EQ(findings[0].excerpt, "      int x = 3;\n          ^");
    EXPECT_EQ(findings[1].level, Level::error);
    EXPECT_EQ(findings[1].place, "dir/k.cu:29");
    EXPECT_EQ(findings[2].text, "cannot open source file \"info.h\"");
    EXPECT_EQ(findings[2].excerpt, "");
}

TEST(CompilerLog, ReadsWhatGccAndClangSay) {
    const auto findings = read_compiler_log(
        "k.cpp: In function 'void f()':\n"
        "k.cpp:24:47: error: 'z' was not declared in this scope\n"
        "   24 | y[0] = z[0];\n"
        "      |        ^\n"
        "k.cpp:24: warning: old\n"
        "k.h:3:1: fatal error: none.h: No such file or directory\n");
    ASSERT_EQ(findings.size(), 3U);
    EXPECT_EQ(findings[0].place, "k.cpp:24");
    EXPECT_EQ(findings[0].excerpt, "   24 | y[0] = z[0];\n      |        ^");
    EXPECT_EQ(findings[1].place, "k.cpp:24");
    EXPECT_EQ(findings[2].place, "k.h:3");
}

TEST(CompilerLog, TellsTheSameOnceAndNothingOfOtherLines) {
    EXPECT_EQ(read_compiler_log("k.cu(1): error: no\nk.cu(1): error: no\n").size(), 1U);
    for (const char* line : {"", "nvrtc: error: invalid value", "k.cu: error: x", "(3): note: x",
                             "k.cu(): error: x", "k.cu(a): error: x", "k.cu:: error: x"}) {
        EXPECT_TRUE(read_compiler_log(line).empty()) << line;
    }
}

}  // namespace
}  // namespace jitune::internal
