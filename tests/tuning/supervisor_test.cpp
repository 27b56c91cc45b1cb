// SPDX-License-Identifier: Apache-2.0
#include "tuning/isolation/supervisor.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "fake/fake_sum.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/script_clock.hpp"
#include "jitune/version.hpp"
#include "support/temp_dir.hpp"
#include "support/text_file.hpp"
#include "tuner_db/winners/record_message.hpp"

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

/// A supervisor of shell scripts, which say how much time passes.
class SupervisorTest : public testing::Test {
protected:
    /// A worker that says it is ready and then does `script`, where `say NAME` sends a message that
    /// the test has put into `$folder/NAME`, and `pass MS` waits until this time has passed.
    void play(const std::string& script,
              const std::string& protocol = worker_messages::protocol()) {
        put("ready", {worker_messages::kReady, protocol});
        program_ = dir_.write("worker", fmt::format("#!/bin/sh\n"
                                                    "if [ $1 = --version ]; then\n"
                                                    "    echo jitune 0.0.1\n"
                                                    "    exit\n"
                                                    "fi\n"
                                                    "folder='{}'\n"
                                                    "say() {{ cat \"$folder/$1\" >&0; }}\n"
                                                    "pass() {{\n"
                                                    "    for time in $1 200; do\n"
                                                    "        echo $time >\"$folder/new\"\n"
                                                    "        mv \"$folder/new\" \"$folder/clock\"\n"
                                                    "        while [ -e \"$folder/clock\" ]; do\n"
                                                    "            sleep 0.01\n"
                                                    "        done\n"
                                                    "    done\n"
                                                    "}}\n"
                                                    "echo start >>\"$folder/starts\"\n"
                                                    "say ready\n"
                                                    "{}\n",
                                                    dir_.path().string(), script));
        std::filesystem::permissions(program_, std::filesystem::perms(0700));
    }

    void put(const std::string& name, const Message& message) {
        static_cast<void>(dir_.write(name, frame(message)));
    }

    /// The report of a tuning that ends well.
    void put_report() {
        Message report{worker_messages::kReport};
        MessageWriter writer(report);
        write_record(writer, Winner{});
        SharedImage none;
        write_progress(writer, {}, none);
        put("report", report);
    }

    TuneReport tune(TuneHooks hooks = {}) {
        hooks.time = &clock_;
        clock_.forget();
        Supervisor supervisor(program_, 0, limits_, log_, compiles_);
        return supervisor.tune({}, hooks, record_maker_);
    }

    [[nodiscard]] int starts() const {
        std::ifstream file(dir_.path() / "starts");
        return static_cast<int>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
    }

    TempDir dir_;
    ScriptClock clock_{dir_.path() / "clock"};
    std::filesystem::path program_;
    WatchLimits limits_;
    std::atomic<std::int64_t> compiles_{0};
    const Log log_{LogLevel::off};
    FakeDevice device_;
    Kernel kernel_ = fake_sum_kernel();
    RecordMaker record_maker_{{device_, kernel_, fake_sum_problem()}};
};

TEST_F(SupervisorTest, RefusesAWorkerOfAnotherBuild) {
    play("read stop", "jitune 0.1 worker 5");
    for (const std::string& text :
         {program_.string() + " is not the jitune command of this build",
          "it speaks \"jitune 0.1 worker 5\", this library \"" + worker_messages::protocol() + '"',
          "with --version it says \"jitune 0.0.1\", this is " JITUNE_VERSION_STRING + std::string(),
          std::string("JITUNE_WORKER")}) {
        expect_error(ErrorKind::unavailable, text, [&] { tune(); });
    }
    const std::string version = fmt::format("{}.{}", JITUNE_VERSION_MAJOR, JITUNE_VERSION_MINOR);
    EXPECT_TRUE(worker_messages::protocol().starts_with("jitune " + version + " "));
}

TEST_F(SupervisorTest, SaysTheVersionOfAWorkerWhoseMessagesHaveAnotherForm) {
    play("read stop");
    static_cast<void>(dir_.write("ready", "ready, in the form of an old version"));
    expect_error(ErrorKind::unavailable,
                 "is not the jitune command of this build (it sent a malformed message; with "
                 "--version it says \"jitune 0.0.1\"",
                 [&] { tune(); });
}

TEST_F(SupervisorTest, AStopRequestEndsTheWaitForAWorkerThatIsNotReady) {
    program_ = dir_.write("worker", fmt::format("#!/bin/sh\necho 3000 >'{}'; read stop\n",
                                                (dir_.path() / "clock").string()));
    std::filesystem::permissions(program_, std::filesystem::perms(0700));
    const std::atomic<bool> stop{true};
    TuneHooks hooks;
    hooks.stop = &stop;
    expect_error(ErrorKind::unavailable, "stopped before a tuning worker", [&] { tune(hooks); });
}

TEST_F(SupervisorTest, AStoppedBackgroundTuningDoesNotWaitForItsWorkerToBeReady) {
    put_report();
    play("say report; read stop");
    program_ =
        dir_.write("late", fmt::format("#!/bin/sh\nsleep 0.3\nexec {} $*\n", program_.string()));
    std::filesystem::permissions(program_, std::filesystem::perms(0700));
    const std::atomic<bool> stop{true};
    TuneHooks hooks;
    hooks.stop = &stop;
    EXPECT_NO_THROW(tune(hooks)) << "a sweep has results all the same";
    const std::stop_source end;
    hooks.given_up = end.get_token();
    expect_error(ErrorKind::unavailable, "stopped before a tuning worker", [&] { tune(hooks); });
}

TEST_F(SupervisorTest, AStopKillsTheWorkerOfABackgroundTuning) {
    play("head -c 1 >/dev/null; : >\"$folder/asked\"; sleep 100");
    std::atomic<bool> stop{false};
    TuneHooks hooks;
    hooks.stop = &stop;
    hooks.has_turn = [&] {
        stop = std::filesystem::exists(dir_.path() / "asked");
        return true;
    };
    const std::stop_source end;
    hooks.given_up = end.get_token();
    expect_error(ErrorKind::unavailable, "was given up, because its session ends",
                 [&] { tune(hooks); });
    EXPECT_EQ(starts(), 1);
}

TEST_F(SupervisorTest, AStopRequestEndsTheWaitForTheFirstCandidate) {
    limits_.stopped = milliseconds(100);
    limits_.compile = limits_.idle = milliseconds(60'000);
    const std::atomic<bool> stop{true};
    TuneHooks hooks;
    hooks.stop = &stop;
    Message compiling{worker_messages::kCompiling};
    MessageWriter(compiling).integer(1).texts(std::vector<std::string>{kFakeDefault});
    put("compiling", compiling);
    put("prepare", {worker_messages::kPrepare, "running the reference of x.cu"});
    for (const char* step : {"compiling", "prepare"}) {
        play(fmt::format("say {}; pass 1000; sleep 100", step));
        expect_error(ErrorKind::unavailable, "stopped before a candidate of", [&] { tune(hooks); });
    }
    EXPECT_EQ(starts(), 2);
}

TEST_F(SupervisorTest, AStopRequestWaitsForACandidateThatHasBegun) {
    limits_.stopped = milliseconds(0);
    std::atomic<bool> stop{false};
    struct Observer : TuneObserver {
        explicit Observer(std::atomic<bool>& flag) : stop(flag) {}
        void announce(std::span<const std::string> /*configurations*/) override { stop = true; }
        std::atomic<bool>& stop;
    } observer(stop);
    TuneHooks hooks;
    hooks.stop = &stop;
    hooks.observer = &observer;
    put("time", {worker_messages::kTime, kFakeDefault});
    Message announce{worker_messages::kAnnounce};
    MessageWriter(announce).texts(std::vector<std::string>{kFakeDefault});
    put("announce", announce);
    Message measured{worker_messages::kMeasured};
    MessageWriter writer(measured);
    write_record(writer, Measurement{});
    put("measured", measured);
    put_report();
    play("say time; say announce; pass 1000; say measured; pass 1000; say report; read stop");
    EXPECT_EQ(tune(hooks).measurements.size(), 1U);
}

TEST_F(SupervisorTest, AStopRequestStillGetsTheAnswerOfAWorkerThatStarts) {
    put_report();
    play("say report; read stop");
    const std::atomic<bool> stop{true};
    TuneHooks hooks;
    hooks.stop = &stop;
    EXPECT_TRUE(tune(hooks).measurements.empty());
}

TEST_F(SupervisorTest, BlamesNoCandidateForACrashOfTheReference) {
    put("prepare", {worker_messages::kPrepare, "running the reference of x.cu"});
    put("prepared", {worker_messages::kPrepare, ""});
    Message compiling{worker_messages::kCompiling};
    MessageWriter(compiling).integer(1).texts(std::vector<std::string>{"block=128 items=4"});
    put("compiling", compiling);
    put_report();
    play(
        "say compiling; say prepare; [ $(wc -l <\"$folder/starts\") -gt 2 ] || kill -SEGV $$;"
        "say report; read stop");
    expect_error(ErrorKind::verify,
                 "2 workers in a row ended while running the reference of x.cu: signal 11",
                 [&] { tune(); });
    EXPECT_EQ(starts(), 2);
    // One that was killed from outside, and one that dies later, are replaced.
    play(
        "say prepare; [ $(wc -l <\"$folder/starts\") -gt 3 ] || kill -KILL $$;"
        "say prepared; [ $(wc -l <\"$folder/starts\") -gt 4 ] || kill -KILL $$;"
        "say report; read stop");
    EXPECT_TRUE(tune().measurements.empty());
    EXPECT_EQ(starts(), 5);
}

TEST_F(SupervisorTest, StartsAWorkerAgainThatIsKilledBeforeItIsReady) {
    put_report();
    play("say report; read stop");
    const std::string script(read_text_file(program_));
    const std::string kill = "[ $(wc -l <\"$folder/starts\") -gt 2 ] || kill -KILL $$\n";
    const std::size_t at = script.find("say ready");
    program_ = dir_.write("worker", script.substr(0, at) + kill + script.substr(at));
    static_cast<void>(tune());
    EXPECT_EQ(starts(), 3);
    program_ = dir_.write("worker", "#!/bin/sh\nkill -KILL $$\n");
    expect_error(ErrorKind::unavailable, "ended before it was ready (signal 9", [&] { tune(); });
}

TEST_F(SupervisorTest, GivesUpAfterThreeWorkersThatTryNoCandidate) {
    play("echo 'no such library' >&2; exit 7");
    expect_error(ErrorKind::device, "3 workers in a row", [&] { tune(); });
    expect_error(ErrorKind::device, "exit code 7: no such library", [&] { tune(); });
    EXPECT_EQ(starts(), 6);
}

TEST_F(SupervisorTest, ReplacesAWorkerThatIsSilentOrSendsGarbage) {
    limits_.idle = milliseconds(200);
    play("pass 1000; sleep 600");
    expect_error(ErrorKind::device, "it said nothing", [&] { tune(); });
    play("printf 'Segmentation fault (core dumped)' >&0; sleep 600");
    expect_error(ErrorKind::device, "it sent a malformed message", [&] { tune(); });
}

TEST_F(SupervisorTest, PassesOnAnErrorOfTheTuningItself) {
    Message message{worker_messages::kError};
    MessageWriter writer(message);
    write_error(writer, Error(ErrorKind::verify, "no configuration works"));
    put("error", message);
    play("say error; sleep 600");
    expect_error(ErrorKind::verify, "no configuration works", [&] { tune(); });
    EXPECT_EQ(starts(), 1);
}

TEST_F(SupervisorTest, ChargesTheCandidateUnderWayAndContinues) {
    put("check", {worker_messages::kCheck, "block=64 items=2"});
    put("time", {worker_messages::kTime, "block=32 items=1"});
    Message compiling{worker_messages::kCompiling};
    MessageWriter(compiling).integer(1).texts(std::vector<std::string>{"block=128 items=4"});
    put("compiling", compiling);
    put_report();
    Message compiles{worker_messages::kCompiles};
    MessageWriter(compiles).integer(5);
    put("compiles", compiles);
    limits_.candidate = limits_.compile = milliseconds(300);
    play(
        "case $(wc -l <\"$folder/starts\") in\n"
        "1) say compiles; say check; kill -SEGV $$;;\n"
        "2) say time; pass 1000; sleep 600;;\n"
        "3) say compiling; pass 1000; sleep 600;;\n"
        "*) say compiles; say report; sleep 600;;\n"
        "esac");
    const TuneReport found = tune();
    EXPECT_EQ(compiles_, 10);
    ASSERT_EQ(found.measurements.size(), 3U);
    EXPECT_EQ(found.measurements[0].configuration, "block=64 items=2");
    EXPECT_EQ(found.measurements[0].verdict, Verdict::crashed);
    EXPECT_EQ(found.measurements[0].reason, "signal 11 (Segmentation fault)");
    EXPECT_EQ(found.measurements[1].configuration, "block=32 items=1");
    EXPECT_EQ(found.measurements[1].verdict, Verdict::timed_out);
    EXPECT_EQ(found.measurements[2].configuration, "block=128 items=4");
    EXPECT_EQ(found.measurements[2].verdict, Verdict::compile_failed);
    EXPECT_EQ(found.measurements[2].reason, "the compiler did not end in 0.3 s");
}

TEST_F(SupervisorTest, AWorkerThatRestsIsNotOverdue) {
    put("time", {worker_messages::kTime, "block=64 items=2"});
    put("rests", {worker_messages::kRests});
    put_report();
    limits_.candidate = limits_.idle = milliseconds(500);
    play("say time; say rests; pass 2000; say report; read stop");
    TuneHooks hooks;
    hooks.has_turn = [&] { return clock_.passed() >= milliseconds(2000); };
    EXPECT_TRUE(tune(hooks).measurements.empty());
    EXPECT_EQ(starts(), 1);
}

TEST_F(SupervisorTest, AWorkerThatHangsIsOverdueThoughItHasNoTurn) {
    put("time", {worker_messages::kTime, "block=64 items=2"});
    put_report();
    limits_.candidate = milliseconds(300);
    play(
        "case $(wc -l <\"$folder/starts\") in\n"
        "1) say time; pass 1000; sleep 600;;\n"
        "*) say report; read stop;;\n"
        "esac");
    TuneHooks hooks;
    hooks.has_turn = [] { return false; };
    const TuneReport report = tune(hooks);
    ASSERT_EQ(report.measurements.size(), 1U);
    EXPECT_EQ(report.measurements[0].verdict, Verdict::timed_out);
}

TEST_F(SupervisorTest, SaysWhatItWaitsForAndUntilWhen) {
    put("check", {worker_messages::kCheck, "block=64 items=2"});
    Message compiling{worker_messages::kCompiling};
    MessageWriter(compiling).integer(1).texts(std::vector<std::string>{"block=128 items=4"});
    put("compiling", compiling);
    put_report();
    limits_.candidate = limits_.compile = milliseconds(400);
    limits_.silent = milliseconds(100);
    play(
        "case $(wc -l <\"$folder/starts\") in\n"
        "1) say check; pass 1000; sleep 600;;\n"
        "2) say compiling; pass 1000; sleep 600;;\n"
        "*) say report; sleep 600;;\n"
        "esac");
    std::vector<std::string> subjects;
    TuneHooks hooks;
    hooks.progress = [&](const TuneProgress& progress) {
        ASSERT_TRUE(progress.wait);
        EXPECT_GE(progress.wait->seconds, 0.1);
        EXPECT_EQ(progress.wait->limit_s, 0.4);
        if (subjects.empty() || subjects.back() != progress.wait->subject) {
            subjects.push_back(progress.wait->subject);
        }
    };
    static_cast<void>(tune(hooks));
    EXPECT_EQ(subjects,
              (std::vector<std::string>{"block=64 items=2", "the compiler of block=128 items=4"}));
}

TEST_F(SupervisorTest, ACrashAfterOtherCandidatesIsASuspicionOnly) {
    for (const char* name : {"first", "second"}) {
        put(std::string("check ") + name, {worker_messages::kCheck, name});
        Message measured{worker_messages::kMeasured};
        MessageWriter writer(measured);
        Measurement measurement;
        measurement.configuration = name;
        measurement.verdict = Verdict::timed;
        write_record(writer, measurement);
        put(std::string("measured ") + name, measured);
    }
    put_report();
    play(
        "case $(wc -l <\"$folder/starts\") in\n"
        "1) say 'check first'; say 'measured first'; say 'check second'; kill -SEGV $$;;\n"
        "*) say 'check second'; say 'measured second'; say report; sleep 600;;\n"
        "esac");
    const TuneReport found = tune();
    EXPECT_EQ(starts(), 2);
    ASSERT_EQ(found.measurements.size(), 2U);
    EXPECT_EQ(found.measurements[1].configuration, "second");
    EXPECT_EQ(found.measurements[1].verdict, Verdict::timed) << found.measurements[1].reason;
}

TEST_F(SupervisorTest, SeesTheEndOfAWorkerWhoseChildHoldsTheChannel) {
    put("check", {worker_messages::kCheck, "block=64 items=2"});
    put_report();
    play(
        "case $(wc -l <\"$folder/starts\") in\n"
        "1) say check; setsid sleep 600 & kill -SEGV $$;;\n"
        "*) say report; sleep 600;;\n"
        "esac");
    const TuneReport found = tune();
    ASSERT_EQ(found.measurements.size(), 1U);
    EXPECT_EQ(found.measurements[0].reason, "signal 11 (Segmentation fault)");
}

}  // namespace
}  // namespace jitune::internal
