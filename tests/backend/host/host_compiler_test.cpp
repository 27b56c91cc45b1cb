// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_compiler.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "fixtures/fake_compiler.hpp"
#include "fixtures/host_fixture.hpp"
#include "support/temp_dir.hpp"
#include "support/text_file.hpp"

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

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
