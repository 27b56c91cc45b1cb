// SPDX-License-Identifier: Apache-2.0
// What `jitune tune` is told about its search, and what it says of it.
#include <array>
#include <set>

#include "fixtures/cli_fixture.hpp"

namespace jitune::internal {
namespace {

/// A template whose candidates fail in three ways, for the fixture's folder.
constexpr const char* kFailing = R"(/* jitune template
kernel = "twice"
backend = "host"
sizes = ["n"]
constraints = ["step <= n"]

[parameters]
step = { values = [1, 2, 4, 64], default = 1 }
flaw = { values = [0, 1, 2, 3], default = 0 }

[arguments]
in = { access = "in", type = "int32", count = "n" }
out = { access = "out", type = "int32", count = "n" }
n = { access = "scalar", type = "int64", value = "n" }

[[launch]]
entry = "twice"
template = ["step", "flaw"]
arguments = ["in", "out", "n"]

[reference]
entry = "twice_plain"
arguments = ["in", "out", "n"]
*/
#include "factor.h"

void twice_plain(const int* in, int* out, long n) {
    for (long i = 0; i < n; ++i) {
        out[i] = kFactor * in[i];
    }
}

template <int kStep, int kFlaw>
void twice(const int* in, int* out, long n) {
    static_assert(kFlaw != 2, "two is no flaw to have");
    twice_plain(in, out, n);
    if (kFlaw == 1) {
        out[0] += 1;
    }
    if (kFlaw == 3) {
        __builtin_trap();
    }
}
)";

class CliTuneSearchTest : public CliFixture {
protected:
    void SetUp() override {
        CliFixture::SetUp();
        std::ofstream(path("twice.host.cpp")) << kFailing;
        std::ofstream(path("factor.h")) << "constexpr int kFactor = 2;\n";
    }

    /// The command for the template, with these options.
    [[nodiscard]] std::string tune(const std::string& options) const {
        return "tune " + path("twice.host.cpp") + " --size n=40 --budget 0 " + options;
    }
    [[nodiscard]] json tuned(const std::string& options) const {
        return jitune_json(tune(options));
    }

    /// The stored verdicts on configurations, those of finals left out.
    [[nodiscard]] std::vector<std::string> measured() const {
        std::vector<std::string> configurations;
        const json shown = jitune_json("db show");
        for (const json& one : shown["measurements"]) {
            if (one["conditions"].get<std::string>().find("interleaved") == std::string::npos) {
                configurations.push_back(one["configuration"]);
            }
        }
        return configurations;
    }
};

TEST_F(CliTuneSearchTest, CountsFailuresByReasonAndSaysWhatWasTried) {
    const Answer answer = jitune(tune(""));
    EXPECT_EQ(answer.code, 0) << answer.err;
    const auto expect = [&](const std::string& text) {
        EXPECT_NE(answer.out.find(text), std::string::npos) << text << "\n" << answer.out;
    };
    expect("12 of 12 configurations tried (100 %)\n");
    expect("failed: 9\n");
    expect("     3 wrong result, as step=1 flaw=1: ");
    expect("     3 does not compile, as step=1 flaw=2: " + path("twice.host.cpp") + ":35: ");
    expect("two is no flaw to have");
    expect("     3 crashed, as step=1 flaw=3: ");
    expect("speed-up");
    const json again = tuned("--again");
    EXPECT_EQ(again["failed"], 9);
    ASSERT_EQ(again["failures"].size(), 3U);
    for (const json& failure : again["failures"]) {
        EXPECT_EQ(failure["count"], 3);
        EXPECT_EQ(failure["reason"].get<std::string>().find('\n'), std::string::npos);
    }
    EXPECT_GE(again["speed_up_high"], again["speed_up_low"]);
    EXPECT_EQ(again["left_out"], 0);
    EXPECT_TRUE(again["complete"]);
}

TEST_F(CliTuneSearchTest, SaysWhichBudgetWouldFinish) {
    const json part = tuned("--evaluations 3 --only flaw=0,1 --strategy exhaustive");
    EXPECT_EQ(part["evaluated"], 3);
    EXPECT_EQ(part["space"], 6);
    EXPECT_EQ(part["left_out"], 6);
    EXPECT_GE(part["left_s"].get<double>(), 0);
    const Answer answer = jitune(tune("--evaluations 4 --only flaw=0,1"));
    EXPECT_NE(answer.out.find("of 6 configurations tried (66 %), about "), std::string::npos)
        << answer.out;
    EXPECT_NE(answer.out.find(" more for the rest: --evaluations 0\n"), std::string::npos);
    EXPECT_NE(answer.out.find("left out by --only: 6 configurations"), std::string::npos);
}

TEST_F(CliTuneSearchTest, GoesOnWhereItStoppedUnlessItIsToldToBeginAgain) {
    EXPECT_EQ(tuned("--evaluations 4 --strategy exhaustive")["earlier"], 0);
    const std::size_t before = measured().size();
    const json second = tuned("--evaluations 6 --strategy exhaustive");
    const std::size_t taken = second["earlier"];  // 0 if the cores were busy
    EXPECT_LE(taken, 4U);
    EXPECT_EQ(second["evaluated"], 6);
    EXPECT_EQ(measured().size(), before + 6 - taken)
        << "neither those that were timed nor those that failed";
    const Answer third = jitune(tune("--evaluations 7 --strategy exhaustive"));
    EXPECT_EQ(third.code, 0) << third.err;
    const std::size_t at_last = measured().size();
    EXPECT_EQ(tuned("--evaluations 2 --again")["earlier"], 0);
    EXPECT_EQ(measured().size(), at_last + 2);
}

TEST_F(CliTuneSearchTest, ARestrictedTuningIsNotCompleteAndIsContinued) {
    const json part = tuned("--only flaw=0 --only step=2..4");
    EXPECT_EQ(part["evaluated"], 3) << "the default, too";
    EXPECT_FALSE(part["complete"]);
    EXPECT_FALSE(jitune_json("db list")["winners"][0]["complete"]);
    const json whole = tuned("");
    EXPECT_EQ(whole["evaluated"], 12);
    EXPECT_LE(whole["earlier"], 3) << "fewer where the cores were busy";
    EXPECT_TRUE(whole["complete"]);
    EXPECT_TRUE(jitune_json("db list")["winners"][0]["complete"]);
}

TEST_F(CliTuneSearchTest, AnInterruptEndsTheFirstCompile) {
    std::ofstream(path("cxx")) << "#!/bin/sh\n"
                                  "[ \"$1\" != --version ] || exec c++ --version\n"
                                  "echo >\"$HOME/compiles\"\n"
                                  "exec sleep 600\n";
    std::filesystem::permissions(path("cxx"), std::filesystem::perms(0700));
    const Answer answer = shell("export JITUNE_CXX=\"$folder/cxx\"\n\"$jitune\" " + tune("--json") +
                                " &\n"
                                "for try in $(seq 600); do\n"
                                "  [ ! -e \"$HOME/compiles\" ] || break; sleep 0.1\n"
                                "done\n"
                                "kill -INT $!; wait $!");
    EXPECT_EQ(answer.code, 130);
    EXPECT_NE(json::parse(answer.out)["error"]["message"].get<std::string>().find(
                  "stopped before a candidate of twice"),
              std::string::npos)
        << answer.out;
}

TEST_F(CliTuneSearchTest, TriesWhatItIsToldToTryFirst) {
    const json tuned_first = tuned("--first step=4 --first 'flaw=1 step=2' --evaluations 3");
    EXPECT_EQ(tuned_first["evaluated"], 3);
    const std::vector<std::string> all = measured();
    for (const char* wanted : {"step=1 flaw=0", "step=4 flaw=0", "step=2 flaw=1"}) {
        EXPECT_NE(std::find(all.begin(), all.end(), wanted), all.end()) << wanted;
    }
}

TEST_F(CliTuneSearchTest, RefusesConfigurationsAndValuesThatAreNotThere) {
    const auto refuse = [&](const std::string& options, const std::string& reason) {
        expect_failure(tune(options), 2, reason);
    };
    refuse("--first step=3",
           "--first: configuration \"step=3 flaw=0\": parameter step cannot be \"3\"; "
           "its values are 1, 2, 4, 64");
    refuse("--first width=3", "unknown parameter \"width\"; the parameters are step, flaw");
    refuse("--first step=64",
           "the constraint \"step <= n\" of " + path("twice.host.cpp") + " does not hold here");
    refuse("--first flaw=1 --only flaw=0", "is left out by --only flaw=0");
    refuse("--only step=3",
           "--only: restriction \"step=3\": parameter step cannot be \"3\"; its values "
           "are 1, 2, 4, 64");
    refuse("--only width=3", "unknown parameter \"width\"");
    refuse("--only step=64", "restriction \"step=64\": no legal configuration");
}

TEST_F(CliTuneSearchTest, TunesOnACapturedCallWithOptionsOfItsOwn) {
    std::filesystem::create_directory(path("call"));
    std::ofstream(path("call/capture.toml"))
        << "jitune_capture = 1\nkernel = \"twice\"\n[sizes]\nn = 4\n[types]\n[values]\n"
           "[inputs]\nin = \"raw in.bin\"\n[outputs]\nout = \"raw out.bin\"\n";
    const auto write = [&](const std::string& name, std::array<int, 4> values) {
        std::ofstream(path("call/" + name), std::ios::binary)
            .write(reinterpret_cast<const char*>(values.data()), sizeof values);
    };
    write("in.bin", {1, 2, 3, 4});
    write("out.bin", {2, 4, 6, 8});
    const std::string command = "tune " + path("twice.host.cpp") + " --from-capture " +
                                path("call") + " --option=-DUNUSED --budget 0 ";
    const json found = jitune_json(command);
    EXPECT_EQ(found["sizes"], (json{{"n", 4}}));
    EXPECT_GT(found["evaluated"], 0);
    write("out.bin", {2, 4, 6, 9});
    const Answer wrong = jitune(command);
    EXPECT_EQ(wrong.code, 1);
    EXPECT_NE(wrong.err.find("the captured call"), std::string::npos) << wrong.err;
    EXPECT_EQ(jitune(command + "--size n=4").code, 2);
}

TEST_F(CliTuneSearchTest, KeepsSourcesThatCompileByTheirCommand) {
    const json kept = tuned("--only flaw=0 --first step=4 --keep " + path("kept"));
    std::set<std::string> roles;
    for (const json& one : kept["sources"]) {
        roles.insert(one["role"]);
        const std::string folder = one["folder"];
        EXPECT_EQ(contents(folder + "/include/factor.h"), contents(path("factor.h")));
        EXPECT_NE(contents(folder + "/configuration.txt")
                      .find("\nconfiguration: " + one["configuration"].get<std::string>() + "\n"),
                  std::string::npos);
        EXPECT_NE(contents(folder + "/compile.txt").find("\n# to profile it: "), std::string::npos);
        EXPECT_NE(contents(folder + "/kernel.cpp").find("#line 1 \"" + path("twice.host.cpp")),
                  std::string::npos);
        EXPECT_TRUE(contents(folder + "/kernel.so")
                        .starts_with("\x7f"
                                     "ELF"));
        std::filesystem::remove(folder + "/kernel.so");
        const Answer made = shell("cd '" + folder + "' && sh compile.txt");
        EXPECT_EQ(made.code, 0) << made.err;
        EXPECT_TRUE(contents(folder + "/kernel.so")
                        .starts_with("\x7f"
                                     "ELF"));
    }
    std::string all;
    for (const std::string& role : roles) {
        all += role + ", ";
    }
    for (const char* role : {"winner", "default", "first"}) {
        EXPECT_NE(all.find(role), std::string::npos) << all;
    }
}

TEST_F(CliTuneSearchTest, KeepsNothingOverWhatOthersHaveWritten) {
    const std::string command = tune("--only flaw=0 --only step=1 --keep " + path("kept"));
    const json kept = jitune_json(command);
    ASSERT_EQ(kept["sources"].size(), 1U) << "the winner is the default";
    const std::filesystem::path folder = kept["sources"][0]["folder"].get<std::string>();
    std::ofstream(folder / "report.txt") << "of a profiler";
    std::ofstream(folder / "kernel.cpp") << "changed";
    static_cast<void>(jitune_json(command));
    EXPECT_EQ(contents(folder / "report.txt"), "of a profiler");
    EXPECT_NE(contents(folder / "kernel.cpp"), "changed");
    std::ofstream(folder / "configuration.txt") << "not jitune's";
    const Answer refused = jitune(command);
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("jitune has not written it"), std::string::npos) << refused.err;
    EXPECT_EQ(contents(folder / "configuration.txt"), "not jitune's");
    std::ofstream(path("file")) << "";
    expect_failure(tune("--keep " + path("file")), 2, "cannot ");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("kept")), {}), 1);
}

}  // namespace
}  // namespace jitune::internal
