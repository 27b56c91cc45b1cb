// SPDX-License-Identifier: Apache-2.0
#include "cli/app/command_pages.hpp"

#include <string>

#include <gtest/gtest.h>

#include "jitune/error.hpp"
#include "support/process.hpp"

namespace jitune::internal {
namespace {

class Completion : public testing::Test {
protected:
    Invocation sums() {
        return {{{"-n,--size", &text_, "It's a [size]: n"},
                 {"--json", &flag_, "Print JSON"},
                 {"--log", &text_, "A level", {.choices = {"off", "on"}}},
                 {"FILE", &text_, "A file"}},
                {}};
    }
    std::vector<CommandPage> pages_ = command_pages(
        "A summary",
        {{"sweep", "Many", nullptr, {{"sum", "Sums", [this] { return sums(); }}}},
         {"stats", "Numbers", [] { return Invocation(); }},
         {"shell", "A script", [this] {
              return Invocation{{{"SHELL", &text_, "A shell", {.choices = {"a", "b"}}}}, {}};
          }}});

    /// Those of `sweep FILE` and of `sweep sum`.
    std::vector<CommandPage> pages_of_files() {
        const auto own = [this] { return Invocation{{{"--multiple", &text_, "N"}}, {}}; };
        return command_pages("A summary",
                             {{"sweep",
                               "Many",
                               nullptr,
                               {{"sum", "Sums", [this] { return sums(); }}, {"own", "A file", own}},
                               "own"}});
    }

    /// What a shell prints that has read the script, at the end of `command`, which may hold
    /// `SCRIPT`.
    std::string shell(const std::string& name, const std::string& command) {
        ProcessCommand run;
        run.program = "/bin/" + name;
        run.arguments = {"-c", completion_script(name, pages_) + command};
        const ProcessResult result = run_process(run);
        EXPECT_EQ(result.exit_code, 0) << result.output;
        return result.output;
    }
    std::string bash(const std::string& words) {
        return shell("bash", "\nCOMP_WORDS=(" + words +
                                 "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _jitune; "
                                 "printf '%s' \"${COMPREPLY[*]}\"");
    }

private:
    std::string text_;
    bool flag_ = false;
};

TEST_F(Completion, BashFindsTheCommandBeforeTheCursor) {
    EXPECT_EQ(bash("jitune ''"), "sweep stats shell");
    EXPECT_EQ(bash("jitune -"), "-h --help --version");
    EXPECT_EQ(bash("jitune st"), "stats");
    EXPECT_EQ(bash("jitune sweep ''"), "sum");
    EXPECT_EQ(bash("jitune sweep sum -"), "-n --size --json --log -h --help");
    EXPECT_EQ(bash("jitune stats ''"), "-h --help");
    EXPECT_EQ(bash("jitune sweep sum --json --s"), "--size");
    EXPECT_EQ(bash("jitune stats --"), "--help");
}

TEST_F(Completion, ValuesAreThoseThatAreKnownOrFiles) {
    EXPECT_EQ(bash("jitune sweep sum --log ''"), "off on");
    EXPECT_EQ(bash("jitune sweep sum --log of"), "off");
    EXPECT_EQ(bash("jitune shell ''"), "a b");
    EXPECT_EQ(bash("jitune sweep sum ''"), "");
    EXPECT_EQ(bash("jitune sweep sum --size ''"), "");
    EXPECT_EQ(bash("jitune sweep sum --json --h"), "--help");
}

TEST_F(Completion, AFileBehindAGroupStandsForItsCommand) {
    pages_ = pages_of_files();
    EXPECT_EQ(bash("jitune sweep a.cu --m"), "--multiple");
    EXPECT_EQ(bash("jitune sweep a.host.cpp --m"), "--multiple");
    EXPECT_EQ(bash("jitune sweep sum a.cu --s"), "--size");
    EXPECT_EQ(bash("jitune sweep a.txt --m"), "");
    EXPECT_NE(completion_script("zsh", pages_).find("'*:file:_files'"), std::string::npos);
    EXPECT_NE(completion_script("fish", pages_)
                  .find("else if test \"$at\" = 'sweep'; and string match -q '*.cu' -- $word\n"
                        "            set at 'sweep own'"),
              std::string::npos);
}

TEST_F(Completion, HelpTextsAreQuoted) {
    const std::string zsh = completion_script("zsh", pages_);
    EXPECT_NE(zsh.find(R"('--size[It'\''s a \[size\]\: n]:value:_files')"), std::string::npos)
        << zsh;
    const std::string fish = completion_script("fish", pages_);
    EXPECT_NE(fish.find(R"(-n '__jitune_at sweep sum' -s n -l size -r -d 'It\'s a [size]: n')"),
              std::string::npos)
        << fish;
}

TEST_F(Completion, OtherShellsAreRefused) {
    EXPECT_THROW(completion_script("tcsh", pages_), Error);
}

}  // namespace
}  // namespace jitune::internal
