// SPDX-License-Identifier: Apache-2.0
#include "support/process.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "jitune/error.hpp"
#include "support/file_descriptor.hpp"
#include "support/no_memory.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

ProcessCommand shell(const std::string& script) {
    ProcessCommand command;
    command.program = "/bin/sh";
    command.arguments = {"-c", script};
    return command;
}

/// True once the process has ended, reaped or not.
bool has_ended(const std::string& pid) {
    std::ifstream file("/proc/" + pid + "/stat");
    std::string number, name, state;
    return !(file >> number >> name >> state) || state == "Z" || state == "X";
}

void expect_end_of(const std::string& pid) {
    for (int attempt = 0; attempt < 1000 && !has_ended(pid); ++attempt) {
        std::this_thread::sleep_for(milliseconds(10));
    }
    EXPECT_TRUE(has_ended(pid)) << "process " << pid << " is still running";
}

/// Ignores a signal while it lives.
class IgnoredSignal {
public:
    explicit IgnoredSignal(int number) : number_(number), before_(std::signal(number, SIG_IGN)) {}
    ~IgnoredSignal() { std::signal(number_, before_); }
    IgnoredSignal(const IgnoredSignal&) = delete;
    IgnoredSignal& operator=(const IgnoredSignal&) = delete;

private:
    int number_;
    void (*before_)(int);
};

TEST(Process, PassesArgumentsWithoutAShell) {
    ProcessCommand command;
    command.program = "/bin/echo";
    command.arguments = {"$(id)", "a  b", "'\"", "*"};
    const ProcessResult result = run_process(command);
    EXPECT_TRUE(result.succeeded());
    EXPECT_EQ(result.output, "$(id) a  b '\" *\n");
}

TEST(Process, KeepsBothOutputsAndTheExitCode) {
    const ProcessResult result = run_process(shell("echo out; echo err >&2; exit 3"));
    EXPECT_FALSE(result.succeeded());
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(result.output, "out\nerr\n");
    EXPECT_EQ(describe_end(result), "exit code 3");
}

TEST(Process, ReportsTheSignalThatEndedTheProgram) {
    const ProcessResult result = run_process(shell("kill -SEGV $$"));
    EXPECT_EQ(result.exit_code, -1);
    EXPECT_EQ(result.signal, SIGSEGV);
    EXPECT_EQ(describe_end(result), "signal 11 (Segmentation fault)");
}

TEST(Process, RunsAtALowerPriority) {
    const int own = std::stoi(run_process(shell("nice")).output);
    const int wanted = std::min(own + 3, 19);
    // The priority is lowered just after the start: the program waits for that, but not for ever.
    ProcessCommand command =
        shell("for i in $(seq 3000); do [ $(nice) = " + std::to_string(wanted) +
              " ] && break; sleep 0.01; done; nice");
    command.nice = 3;
    EXPECT_EQ(std::stoi(run_process(command).output), wanted);
}

TEST(Process, HasEmptyInputAndNoFilesOfTheApp) {
    const int inherited = ::open("/dev/null", O_RDONLY);
    ASSERT_GT(inherited, 2);
    const std::string path = "/proc/self/fd/" + std::to_string(inherited);
    const ProcessResult result =
        run_process(shell("cat; test -e " + path + " && echo inherited; echo done"));
    ::close(inherited);
    EXPECT_EQ(result.output, "done\n");
}

TEST(Process, AddsVariablesToTheEnvironment) {
    ProcessCommand command = shell("echo \"$HOME $JITUNE_TEST $PATH\"");
    command.environment = {"HOME=elsewhere", "JITUNE_TEST=a=b"};
    const ProcessResult result = run_process(command);
    EXPECT_EQ(result.output, "elsewhere a=b " + std::string(std::getenv("PATH")) + "\n");
}

TEST(Process, KillsEveryProcessOfTheProgramAtTheTimeLimit) {
    ProcessCommand command = shell("sleep 600 & echo $!; wait");
    command.timeout = milliseconds(300);
    const ProcessResult result = run_process(command);
    EXPECT_TRUE(result.timed_out);
    EXPECT_FALSE(result.succeeded());
    expect_end_of(result.output.substr(0, result.output.find('\n')));
}

TEST(Process, DoesNotWaitForAGrandchildThatHoldsTheOutput) {
    const ProcessResult result = run_process(shell("sleep 600 & echo $!; exit 4"));
    EXPECT_EQ(result.exit_code, 4);
    expect_end_of(result.output.substr(0, result.output.find('\n')));
}

TEST(Process, WaitsForAProgramThatClosesItsOutput) {
    const ProcessResult result = run_process(shell("exec >&- 2>&-; sleep 0.1; exit 5"));
    EXPECT_EQ(result.exit_code, 5);
}

TEST(Process, KeepsAllOutputUpToTheLimit) {
    ProcessCommand command = shell("head -c 3000000 /dev/zero");
    command.output_limit = 3'000'000;
    const ProcessResult result = run_process(command);
    EXPECT_TRUE(result.succeeded());
    EXPECT_EQ(result.output.size(), 3'000'000U);
}

TEST(Process, KillsAProgramThatWritesMoreThanTheLimit) {
    const ProcessCommand command = shell("yes");
    const ProcessResult result = run_process(command);
    EXPECT_TRUE(result.flooded);
    EXPECT_FALSE(result.succeeded());
    EXPECT_EQ(result.output.size(), command.output_limit);
    EXPECT_EQ(describe_end(result), "wrote more than the limit of its output");
}

TEST(Process, KillsAProgramThatIsToStop) {
    std::stop_source stop;
    stop.request_stop();
    const ProcessResult result = run_process(shell("sleep 600 & echo $!; wait"), stop.get_token());
    EXPECT_TRUE(result.stopped);
    EXPECT_FALSE(result.succeeded());
}

TEST(ChildProcess, IsEndedWithItsFamilyWithoutAnyMemory) {
    const TempDir dir;
    const std::string file = dir.path() / "pid";
    std::optional<ChildProcess> child(std::in_place,
                                      shell("setsid sleep 600 & echo $! >" + file + ".new; mv " +
                                            file + ".new " + file + "; sleep 600"),
                                      ChildStreams(), ChildProcess::Reach::session);
    std::string pid;
    for (int attempt = 0; pid.empty() && attempt < 1000; ++attempt) {
        std::this_thread::sleep_for(milliseconds(10));
        std::ifstream(file) >> pid;
    }
    ASSERT_FALSE(has_ended(pid));
    {
        const NoMemory none;
        child.reset();
    }
    expect_end_of(pid);
}

TEST(ChildProcess, SaysWhatTheProgramTakesOfProcessors) {
    const ChildProcess idle(shell("exec sleep 600"), {}), busy(shell("while :; do :; done"), {});
    for (int i = 0; i < 6000 && busy.processor_time() < milliseconds(100); ++i) {
        std::this_thread::sleep_for(milliseconds(10));
    }
    ASSERT_GE(busy.processor_time(), milliseconds(100)) << "not within a minute";
    EXPECT_LT(idle.processor_time(), busy.processor_time() / 2);
    busy.kill();
    EXPECT_TRUE(busy.end_within(milliseconds(10'000)));
    EXPECT_GE(busy.processor_time(), milliseconds(0)) << "of a program that has ended";
}

TEST(Process, DoesNotPassOnIgnoredSignals) {
    const IgnoredSignal ignored(SIGPIPE);
    EXPECT_EQ(run_process(shell("kill -PIPE $$; echo alive")).signal, SIGPIPE);
}

TEST(Process, SaysThatTheEndIsHiddenIfTheAppIgnoresSigchld) {
    const IgnoredSignal ignored(SIGCHLD);
    try {
        run_process(shell("exit 0"));
        FAIL() << "no Error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unavailable);
        EXPECT_NE(std::string(error.what()).find("SIGCHLD"), std::string::npos) << error.what();
    }
}

TEST(Process, NamesAProgramThatCannotBeStarted) {
    ProcessCommand command;
    command.program = "/no/such/program";
    try {
        run_process(command);
        FAIL() << "no Error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unavailable);
        EXPECT_NE(std::string(error.what()).find("/no/such/program"), std::string::npos);
        const NativeCode expected{NativeCode::Source::system, ENOENT};
        EXPECT_EQ(error.native_code(), expected);
    }
}

TEST(Pipe, IsReadWithoutWaiting) {
    auto [source, sink] = make_pipe();
    char byte = 0;
    EXPECT_EQ(::read(source.number(), &byte, 1), -1);
    EXPECT_EQ(errno, EAGAIN);
    EXPECT_EQ(::write(sink.number(), "x", 1), 1);
    EXPECT_EQ(::read(source.number(), &byte, 1), 1);
    sink.close();
    EXPECT_EQ(::read(source.number(), &byte, 1), 0);
}

TEST(FindProgram, TakesTheFirstExecutableFileOnThePath) {
    const TempDir directory;
    const std::string before = std::getenv("PATH");
    const auto plain = directory.write("first/tool", "");
    const auto program = directory.write("second/tool", "");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const std::string folder = directory.path().string();
    ::setenv("PATH", (folder + "/first::" + folder + "/second").c_str(), 1);
    EXPECT_EQ(find_program("tool"), program);
    EXPECT_EQ(find_program("sh"), std::nullopt);
    EXPECT_EQ(find_program(""), std::nullopt);
    EXPECT_EQ(find_program(program.string()), program);
    EXPECT_EQ(find_program(plain.string()), std::nullopt);
    ::unsetenv("PATH");
    EXPECT_TRUE(find_program("sh")->is_absolute());
    ::setenv("PATH", before.c_str(), 1);
}

TEST(TempDir, IsPrivateAndLeavesNothingBehind) {
    std::filesystem::path path;
    {
        const TempDir directory;
        path = directory.path();
        struct stat status {};
        ASSERT_EQ(::stat(path.c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777U, 0700U);
        const auto file = directory.write("folder/file", "text");
        EXPECT_EQ(std::filesystem::file_size(file), 4U);
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TempDir, WritesOnlyInside) {
    const TempDir directory;
    for (const std::string name : {"", "../file", "a/../../file", "/tmp/file"}) {
        EXPECT_THROW(static_cast<void>(directory.write(name, "")), Error) << name;
    }
    EXPECT_THROW(static_cast<void>(directory.write(std::string("a\0b", 3), "")), Error);
}

}  // namespace
}  // namespace jitune::internal
