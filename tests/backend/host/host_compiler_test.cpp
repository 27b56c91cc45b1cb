// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_compiler.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "fixtures/host_fixture.hpp"
#include "support/temp_dir.hpp"
#include "support/text_file.hpp"

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

class Variable {
public:
    Variable(const char* name, const std::string& value) : name_(name) {
        if (const char* before = std::getenv(name)) {
            before_ = before;
        }
        ::setenv(name, value.c_str(), 1);
    }
    ~Variable() {
        if (before_) {
            ::setenv(name_, before_->c_str(), 1);
        } else {
            ::unsetenv(name_);
        }
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

/// A folder with a compiler that does what a script says.
class FakeCompiler {
public:
    explicit FakeCompiler(const std::string& script)
        : path_(directory_.write("fake-c++", "#!/bin/sh\n" + script)) {
        std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
    }
    [[nodiscard]] std::string path() const { return path_.string(); }

private:
    TempDir directory_;
    std::filesystem::path path_;
};

std::string failure_of(const HostCompiler& compiler, const Instance& instance = {{"scale<1>"}}) {
    const auto outcomes = compiler.compile({"test.host.cpp", kScale, {}}, {{instance}});
    const auto* failure = std::get_if<CompileFailure>(&outcomes.front());
    return failure != nullptr ? failure->log : "no failure";
}

constexpr const char* kAnswerVersion = R"([ "$1" = --version ] && echo "fake 1.0" && exit 0
)";

TEST(HostCompiler, GivesUpOnACompilerThatHangs) {
    const FakeCompiler fake(std::string(kAnswerVersion) + "echo working; sleep 600");
    const Variable chosen("JITUNE_CXX", fake.path());
    const HostCompiler compiler(milliseconds(500));
    EXPECT_EQ(compiler.version(), "fake 1.0");
    const std::string log = failure_of(compiler);
    EXPECT_NE(log.find("time limit"), std::string::npos) << log;
    EXPECT_NE(log.find("working"), std::string::npos) << log;
}

TEST(HostCompiler, IsNotAskedForEachInstanceAfterALimit) {
    const TempDir folder;
    const std::string calls = (folder.path() / "calls").string();
    for (const char* const work : {"sleep 600", "exec yes"}) {
        const FakeCompiler fake(std::string(kAnswerVersion) + "echo call >>" + calls + "; " + work);
        const Variable chosen("JITUNE_CXX", fake.path());
        const HostCompiler compiler(milliseconds(500));
        const auto outcomes = compiler.compile({"test.host.cpp", kScale, {}},
                                               {{Instance{{"scale<1>"}}, {{"scale<2>"}}}});
        EXPECT_EQ(outcomes.size(), 2U);
        EXPECT_TRUE(std::holds_alternative<CompileFailure>(outcomes.back()));
    }
    EXPECT_EQ(read_if_there(calls), "call\ncall\n");
}

TEST(HostCompiler, IsKilledByAStop) {
    const FakeCompiler fake(std::string(kAnswerVersion) + "sleep 600");
    const Variable chosen("JITUNE_CXX", fake.path());
    const HostCompiler compiler;
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(static_cast<void>(compiler.compile({"test.host.cpp", kScale, {}},
                                                    {{Instance{{"scale<1>"}}}}, stop.get_token())),
                 CompileStopped);
    const FakeCompiler hangs("sleep 600");
    const Variable other("JITUNE_CXX", hangs.path());
    EXPECT_THROW(HostCompiler(kCompileTime, stop.get_token()), CompileStopped);
}

TEST(HostCompiler, ReportsACompilerThatCrashesOrLies) {
    {
        const FakeCompiler fake(std::string(kAnswerVersion) + "kill -SEGV $$");
        const Variable chosen("JITUNE_CXX", fake.path());
        EXPECT_NE(failure_of(HostCompiler()).find("signal 11"), std::string::npos);
    }
    const FakeCompiler fake(std::string(kAnswerVersion) + "exit 0");
    const Variable chosen("JITUNE_CXX", fake.path());
    EXPECT_NE(failure_of(HostCompiler()).find("no output"), std::string::npos);
}

TEST_F(HostDeviceTest, SaysWhichCompilerIsMissingAndWhatToDo) {
    {
        const Variable chosen("JITUNE_CXX", "no-such-compiler");
        expect_error(ErrorKind::unavailable, "no-such-compiler", [&] { device().compiler(); });
    }
    {
        const Variable chosen("JITUNE_CXX", "");
        const Variable other("CXX", "");
        const Variable path("PATH", "");
        expect_error(ErrorKind::unavailable, "install g++", [&] { compile(kScale, "scale<1>"); });
    }
    const FakeCompiler broken("exit 1");
    const Variable chosen("JITUNE_CXX", broken.path());
    expect_error(ErrorKind::unavailable, "exit code 1", [&] { device().compiler(); });
}

TEST_F(HostDeviceTest, TellsACompilerFromAnother) {
    std::string key;
    {
        const FakeCompiler one("echo version 1");
        const Variable chosen("JITUNE_CXX", one.path());
        key = device().compiler_key();
        EXPECT_EQ(key.find(one.path() + " -std="), 0U) << key;
        EXPECT_TRUE(device().has_compiler(key));
        std::ofstream(one.path(), std::ios::app) << "\n";
        EXPECT_FALSE(device().has_compiler(key)) << "its file has changed";
        EXPECT_TRUE(device().has_compiler(device().compiler_key()));
    }
    EXPECT_FALSE(device().has_compiler(key)) << "its file has gone";
}

TEST_F(HostDeviceTest, AsksNoCompilerWhetherItIsThere) {
    const FakeCompiler broken("exit 1");
    const Variable chosen("JITUNE_CXX", broken.path());
    EXPECT_TRUE(device().has_compiler(host_compiler_key()));
    const Variable none("JITUNE_CXX", "no-such-compiler");
    EXPECT_FALSE(device().has_compiler("no-such-compiler"));
}

TEST_F(HostDeviceTest, NamesItsCompiler) {
    EXPECT_FALSE(device().compiler().empty());
    EXPECT_EQ(device().compiler().find('\n'), std::string::npos);
}

TEST(HostCompiler, NamesTheLineOfTheTemplateThatNamesTheKernel) {
    const HostCompiler compiler(milliseconds(60'000));
    const std::string log = failure_of(compiler, {{"scale<1, 2>"}, {}, {7}});
    EXPECT_NE(log.find("test.host.cpp:7:"), std::string::npos) << log;
    EXPECT_EQ(log.find("entry points"), std::string::npos) << log;
}

}  // namespace
}  // namespace jitune::internal
