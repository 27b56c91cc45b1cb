// SPDX-License-Identifier: Apache-2.0
#include "cli/app/command_pages.hpp"

#include <string>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

std::string text;

std::vector<CommandPage> pages() {
    return command_pages(
        "A summary",
        {{"sweep",
          "Many",
          nullptr,
          {{"sum", "Sums", [] {
                return Invocation{{{"-n,--size", &text, ".5 \\ 2^10", {.required = true}}}, {}};
            }}}}});
}

TEST(Manual, EveryCommandHasAPage) {
    ASSERT_EQ(pages().size(), 3U);
    EXPECT_EQ(manual_name(pages()[0]), "jitune");
    EXPECT_EQ(manual_name(pages()[2]), "jitune-sweep-sum");
}

TEST(Manual, OptionsAreEscapedForRoff) {
    const std::string page = manual_text(pages()[2], "1.2.3");
    EXPECT_NE(page.find(".TH \"JITUNE\\-SWEEP\\-SUM\" 1 \"\" \"jitune 1.2.3\""), std::string::npos);
    EXPECT_NE(page.find(".TP\n\\fB\\-n\\fR \\fIvalue\\fR, \\fB\\-\\-size\\fR \\fIvalue\\fR\n"
                        "\\&.5 \\e 2\\(ha10\n"),
              std::string::npos)
        << page;
    EXPECT_NE(page.find("\\fBjitune sweep sum\\fR [\\fIoptions\\fR] \\fB\\-n\\fR"),
              std::string::npos);
}

TEST(Manual, GroupsNameTheirCommands) {
    const std::string page = manual_text(pages()[1], "1.2.3");
    EXPECT_NE(page.find(".SH COMMANDS\n.TP\n\\fBsum\\fR\nSums\n"), std::string::npos);
    EXPECT_NE(page.find("\\fBjitune\\-sweep\\-sum\\fR(1)"), std::string::npos);
}

}  // namespace
}  // namespace jitune::internal
