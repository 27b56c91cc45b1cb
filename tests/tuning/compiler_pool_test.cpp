// SPDX-License-Identifier: Apache-2.0
#include "tuning/isolation/compiler_pool.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fake/fake_device.hpp"
#include "fixtures/expect_error.hpp"
#include "support/temp_dir.hpp"
#include "support/text_file.hpp"
#include "tuning/isolation/worker_request.hpp"

namespace jitune::internal {
namespace {

/// A pool of shell scripts.
class CompilerPoolTest : public testing::Test {
protected:
    /// A compiler that does `script`, where $say sends a message that the test has put into
    /// `$folder/<name>`, and $starts is the number of compilers so far.
    void play(const std::string& script) {
        put("ready", {worker_messages::kReady, worker_messages::protocol(), "fake 1.0", "key"});
        program_ = dir_.write("compiler", fmt::format("#!/bin/sh\n"
                                                      "folder='{}'\n"
                                                      "say() {{ cat \"$folder/$1\" >&0; }}\n"
                                                      "echo start >>\"$folder/starts\"\n"
                                                      "starts=$(wc -l <\"$folder/starts\")\n"
                                                      "{}\n",
                                                      dir_.path().string(), script));
        std::filesystem::permissions(program_, std::filesystem::perms(0700));
    }

    void put(const std::string& name, const Message& message) {
        static_cast<void>(dir_.write(name, frame(message)));
    }

    void put_outcomes(const std::string& name, const std::vector<CompileOutcome>& outcomes) {
        Message message{compiler_messages::kOutcomes};
        MessageWriter writer(message);
        write_outcomes(writer, outcomes);
        put(name, message);
    }

    [[nodiscard]] int starts() const {
        std::ifstream file(dir_.path() / "starts");
        return static_cast<int>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
    }

    CompilerPool make_pool() {
        return {PlatformKind::cuda, [this] { return program_; }, log_};
    }

    std::optional<std::vector<CompileOutcome>> try_to_compile(CompilerPool& pool, std::size_t count,
                                                              CompileCall call = {}) {
        return pool.compile(device_.info(), source_, std::vector<Instance>(count, Instance{{"k"}}),
                            call);
    }
    std::vector<CompileOutcome> compile(CompilerPool& pool, std::size_t count) {
        return try_to_compile(pool, count).value();
    }
    std::vector<CompileOutcome> compile(std::size_t count) {
        CompilerPool pool = make_pool();
        return compile(pool, count);
    }
    std::string log_of_one() { return std::get<CompileFailure>(compile(1).front()).log; }

    TempDir dir_;
    std::filesystem::path program_;
    const Log log_{LogLevel::off};
    FakeDevice device_;
    const TemplateSource source_{"k.cu", "__global__ void k() {}", {}};
    const Binary binary_{"cubin", std::make_shared<const std::string>("code"), {"k"}};
};

TEST_F(CompilerPoolTest, ReturnsWhatAProcessAnswers) {
    put_outcomes("outcomes", {binary_, CompileFailure{"line 3: no"}, binary_});
    play("say ready; say outcomes; exec sleep 100");
    const auto outcomes = compile(3);
    ASSERT_EQ(outcomes.size(), 3U);
    const auto& first = std::get<Binary>(outcomes.front());
    EXPECT_EQ(first.format, "cubin");
    EXPECT_EQ(*first.image, "code");
    EXPECT_EQ(first.symbols, binary_.symbols);
    EXPECT_EQ(std::get<CompileFailure>(outcomes[1]).log, "line 3: no");
    EXPECT_EQ(std::get<Binary>(outcomes.back()).image, first.image);
}

TEST_F(CompilerPoolTest, RemovesTheHeadersThatAProcessKept) {
    play(
        "say ready; printf %s \"$3\" >\"$folder/its\"; echo x >\"$3/kept.pch\"; say outcomes; "
        "sleep 60");
    put_outcomes("outcomes", {binary_});
    const TempDir headers;
    std::string its;
    {
        CompilerPool pool{PlatformKind::cuda, [this] { return program_; }, log_, headers.path()};
        compile(pool, 1);
        its = read_text_file(dir_.path() / "its");
        EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(its) / "kept.pch")) << its;
    }
    EXPECT_EQ(std::filesystem::path(its).parent_path(), headers.path());
    EXPECT_TRUE(std::filesystem::is_empty(headers.path()));
}

TEST_F(CompilerPoolTest, SaysThatAProcessHasCompiled) {
    put_outcomes("one", {binary_});
    play("say ready; say one; exec sleep 100");
    CompilerPool pool = make_pool();
    CompileCall call;
    const std::vector<Instance> instances(1, Instance{{"k"}});
    pool.compile(device_.info(), source_, instances, call);
    EXPECT_TRUE(call.in_own_process);
}

TEST_F(CompilerPoolTest, AsksAProcessAgainAndAgain) {
    put_outcomes("one", {binary_});
    play("say ready; say one; say one; exec sleep 100");
    CompilerPool pool = make_pool();
    compile(pool, 1);
    compile(pool, 1);
    EXPECT_EQ(starts(), 1);
}

TEST_F(CompilerPoolTest, ReplacesAProcessThatHasEndedMeanwhile) {
    put_outcomes("one", {binary_});
    play("say ready; say one");
    CompilerPool pool = make_pool();
    for (int i = 1; i <= 3; ++i) {
        EXPECT_TRUE(std::holds_alternative<Binary>(compile(pool, 1).front()));
        EXPECT_EQ(starts(), i);
    }
}

TEST_F(CompilerPoolTest, CompilesOneByOneWhatWasUnderWayInAProcessThatEnds) {
    put_outcomes("one", {binary_});
    play("say ready; [ $starts -gt 1 ] || kill -SEGV $$; say one; say one; exec sleep 100");
    const auto outcomes = compile(2);
    ASSERT_EQ(outcomes.size(), 2U);
    EXPECT_TRUE(std::holds_alternative<Binary>(outcomes.front()));
    EXPECT_TRUE(std::holds_alternative<Binary>(outcomes.back()));
    EXPECT_EQ(starts(), 2);
}

TEST_F(CompilerPoolTest, AnInstanceFailsToCompileThatEndsTwoProcesses) {
    play("say ready; kill -SEGV $$");
    EXPECT_EQ(log_of_one(), "the compiler took its process down: signal 11 (Segmentation fault)");
    EXPECT_EQ(starts(), 2);
}

TEST_F(CompilerPoolTest, KillsAProcessThatIsToStop) {
    play("say ready; : >\"$folder/asked\"; exec sleep 600");
    CompilerPool pool = make_pool();
    std::stop_source stop;
    std::jthread later([&] {
        while (!std::filesystem::exists(dir_.path() / "asked")) {
            std::this_thread::yield();
        }
        stop.request_stop();
    });
    CompileCall call{stop.get_token()};
    const std::vector<Instance> instances(2, Instance{{"k"}});
    EXPECT_THROW(pool.compile(device_.info(), source_, instances, call), CompileStopped);
    EXPECT_EQ(starts(), 1) << "nothing is compiled again one by one";
}

TEST_F(CompilerPoolTest, BlamesNoInstanceForAProcessThatIsKilledOnce) {
    put_outcomes("one", {binary_});
    play("say ready; [ $starts -gt 1 ] || kill -KILL $$; say one; exec sleep 100");
    EXPECT_TRUE(std::holds_alternative<Binary>(compile(1).front()));
}

TEST_F(CompilerPoolTest, GarbageIsNoAnswer) {
    put_outcomes("two", {binary_, binary_});
    put("other", {"hello", "there"});
    for (const std::string garbage : {"echo garbage >&0", "say two", "say other"}) {
        play("say ready; " + garbage + "; exec sleep 100");
        EXPECT_EQ(log_of_one(), "the compiler took its process down: it sent a malformed message");
    }
}

TEST_F(CompilerPoolTest, LeavesItToThisProcessWhereNoOtherIsReady) {
    Message no_compiler{worker_messages::kError};
    MessageWriter writer(no_compiler);
    write_error(writer, Error(ErrorKind::unavailable, "NVRTC not found"));
    put("none", no_compiler);
    put("other", {worker_messages::kReady, "jitune 0.1 messages 0", "", ""});
    for (const std::string greeting : {"exit 7", "say none", "say other", "echo no message >&0"}) {
        play(greeting + "; exec sleep 100");
        CompilerPool pool = make_pool();
        const int before = starts();
        EXPECT_FALSE(try_to_compile(pool, 2)) << greeting;
        EXPECT_FALSE(try_to_compile(pool, 1)) << greeting;
        EXPECT_FALSE(pool.name()) << greeting;
        EXPECT_EQ(starts(), before + 1) << greeting;
    }
    program_ = dir_.path() / "none";
    CompilerPool pool = make_pool();
    EXPECT_FALSE(try_to_compile(pool, 1));
}

TEST_F(CompilerPoolTest, LooksForItsCommandOnce) {
    int looks = 0;
    CompilerPool pool(
        PlatformKind::cuda,
        [&]() -> std::filesystem::path {
            ++looks;
            throw Error(ErrorKind::unavailable, "there is no jitune command");
        },
        log_);
    EXPECT_FALSE(try_to_compile(pool, 1));
    EXPECT_FALSE(pool.name());
    EXPECT_EQ(looks, 1);
}

TEST_F(CompilerPoolTest, StartsTheProcessesThatAreExpected) {
    put_outcomes("one", {binary_});
    play("say ready; say one; exec sleep 100");
    CompilerPool pool = make_pool();
    pool.expect(3);
    pool.expect(2);
    const auto name = pool.name();
    ASSERT_TRUE(name);
    EXPECT_EQ(name->version, "fake 1.0");
    EXPECT_EQ(name->key, "key");
    compile(pool, 1);
    while (starts() < 3) {
        std::this_thread::yield();
    }
    EXPECT_EQ(starts(), 3) << "the one that told its name is used again";
}

TEST_F(CompilerPoolTest, LetsGoOfProcessesThatEnd) {
    put_outcomes("one", {binary_});
    play("say ready; say one; echo $$ >\"$folder/pid\"");
    CompilerPool pool = make_pool();
    compile(pool, 1);
    std::filesystem::path pid = dir_.path() / "pid";
    while (!std::filesystem::exists(pid) || read_if_there(pid).empty()) {
        std::this_thread::yield();
    }
    // One that has ended and is not let go of is a zombie, whose number stays in use.
    while (::kill(std::stoi(read_if_there(pid)), 0) == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

TEST_F(CompilerPoolTest, PassesOnErrorsOfTheCompiler) {
    Message message{worker_messages::kError};
    MessageWriter writer(message);
    write_error(writer, Error(ErrorKind::unavailable, "NVRTC not found"));
    put("error", message);
    play("say ready; say error; exec sleep 100");
    expect_error(ErrorKind::unavailable, "NVRTC not found", [&] { compile(1); });
}

}  // namespace
}  // namespace jitune::internal
