// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_platform.hpp"

#include <gtest/gtest.h>

#include "support/process.hpp"

namespace jitune::internal {
namespace {

using Words = std::vector<std::string>;

TEST(ShellText, QuotesWhatAShellWouldTakeApart) {
    EXPECT_EQ(shell_text({"c++", "-I/a/b", "--x=1,2"}), "c++ -I/a/b --x=1,2");
    EXPECT_EQ(shell_text({"a b", "", "$x", "it's"}), "'a b' '' '$x' 'it'\\''s'");
    const std::string script = "printf '%s|' " + shell_text({"it's", "a\nb", "*", ""});
    const ProcessResult echoed = run_process({.program = "/bin/sh",
                                              .arguments = {"-c", script},
                                              .environment = {},
                                              .timeout = std::chrono::seconds(30)});
    EXPECT_EQ(echoed.output, "it's|a\nb|*||");
}

TEST(HostRecipe, HasTheTextAndTheOptionsOfTheCompiler) {
    const TemplateSource source{
        "k.host.cpp", "#include \"h.h\"\nvoid k() {}\n", {{"h.h", ""}}, {}, {"/own"}};
    Instance instance{{"k"}};
    instance.options = {"-lm"};
    const CompileRecipe recipe = make_host_recipe({}, source, instance);
    EXPECT_NE(recipe.text.find(source.text), std::string::npos);
    EXPECT_NE(recipe.text.find("jitune_entry_0_0("), std::string::npos);
    const Words& command = recipe.command;
    const auto place = [&](const std::string& word) {
        return std::find(command.begin(), command.end(), word) - command.begin();
    };
    EXPECT_LT(place("-Iinclude"), place("-I/own"));
    EXPECT_LT(place("-I/own"), place(recipe.file));
    EXPECT_EQ(command.back(), "-lm");
    EXPECT_EQ(command[static_cast<std::size_t>(place("-o")) + 1], recipe.binary);
}

}  // namespace
}  // namespace jitune::internal
