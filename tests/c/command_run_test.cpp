// SPDX-License-Identifier: Apache-2.0
#include "c/command_run.hpp"

#include <signal.h>

#include <chrono>
#include <string>
#include <vector>

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

ProcessCommand shell(const std::string& script) {
    return {.program = "/bin/sh", .arguments = {"-c", script}, .environment = {}};
}

TEST(CommandRun, KeepsOutputAndLinesApart) {
    std::vector<std::string> lines;
    const ProcessResult run =
        run_command(shell("echo out; echo one >&2; printf 'two\\nthree' >&2; echo more; exit 3"),
                    [&](std::string_view line) {
                        lines.emplace_back(line);
                        return true;
                    });
    EXPECT_EQ(run.output, "out\nmore\n");
    EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "three"}));
    EXPECT_EQ(run.exit_code, 3);
}

TEST(CommandRun, ReadsMoreThanAPipeHolds) {
    const ProcessResult run =
        run_command(shell("head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2"),
                    [](std::string_view) { return true; });
    EXPECT_EQ(run.output.size(), 3'000'000U);
    EXPECT_EQ(run.exit_code, 0);
}

TEST(CommandRun, InterruptsACommandThatIsToStop) {
    const auto begin = std::chrono::steady_clock::now();
    const ProcessResult run =
        run_command(shell("trap 'echo kept; exit 130' INT; echo go >&2; sleep 60 & wait"),
                    [](std::string_view) { return false; });
    EXPECT_EQ(run.output, "kept\n") << "it may end by itself";
    EXPECT_EQ(run.exit_code, 130);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST(CommandRun, StopsACommandThatWritesForEver) {
    int lines = 0;
    const ProcessResult run =
        run_command(shell("exec yes >&2"), [&](std::string_view) { return ++lines < 100; });
    EXPECT_EQ(run.signal, SIGINT);
    EXPECT_GE(lines, 100);
}

TEST(CommandRun, EndsWithTheCommandThoughOthersHoldItsStreams) {
    const ProcessResult run =
        run_command(shell("sleep 60 & echo done"), [](std::string_view) { return true; });
    EXPECT_EQ(run.output, "done\n");
}

TEST(CommandRun, KillsTheCommandWhereTheListenerThrows) {
    EXPECT_THROW(run_command(shell("echo go >&2; sleep 60"),
                             [](std::string_view) -> bool { throw std::runtime_error("no"); }),
                 std::runtime_error);
}

TEST(CommandRun, RunsNothingWhereNobodySeesItsEnd) {
    const auto before = ::signal(SIGCHLD, SIG_IGN);
    expect_error(ErrorKind::unavailable, "ignores SIGCHLD",
                 [] { run_command(shell("exit 0"), [](std::string_view) { return true; }); });
    ::signal(SIGCHLD, before);
}

TEST(CommandRun, IsUnavailableWithoutTheProgram) {
    expect_error(ErrorKind::unavailable, "/no/such/program", [] {
        run_command({.program = "/no/such/program", .arguments = {}, .environment = {}},
                    [](std::string_view) { return true; });
    });
}

}  // namespace
}  // namespace jitune::internal
