// SPDX-License-Identifier: Apache-2.0
// Compilers that do not end: the limit is of the machine's clock, and a script must begin within
// it.
#include "backend/host/host_compiler.hpp"

#include <chrono>
#include <string>

#include "fixtures/fake_compiler.hpp"
#include "support/text_file.hpp"

namespace jitune::internal {
namespace {

constexpr std::chrono::milliseconds kLimit{1000};

TEST(HostCompilerTiming, GivesUpOnACompilerThatHangs) {
    const FakeCompiler fake(std::string(kAnswerVersion) + "echo working; sleep 600");
    const Variable chosen("JITUNE_CXX", fake.path());
    const HostCompiler compiler(kLimit);
    EXPECT_EQ(compiler.version(), "fake 1.0");
    const std::string log = failure_of(compiler);
    EXPECT_NE(log.find("time limit"), std::string::npos) << log;
    EXPECT_NE(log.find("working"), std::string::npos) << log;
}

TEST(HostCompilerTiming, IsNotAskedForEachInstanceAfterALimit) {
    const TempDir folder;
    const std::string calls = (folder.path() / "calls").string();
    for (const char* const work : {"sleep 600", "exec yes"}) {
        const FakeCompiler fake(std::string(kAnswerVersion) + "echo call >>" + calls + "; " + work);
        const Variable chosen("JITUNE_CXX", fake.path());
        const HostCompiler compiler(kLimit);
        const auto outcomes = compiler.compile({"test.host.cpp", kScale, {}},
                                               {{Instance{{"scale<1>"}}, {{"scale<2>"}}}});
        EXPECT_EQ(outcomes.size(), 2U);
        EXPECT_TRUE(std::holds_alternative<CompileFailure>(outcomes.back()));
    }
    EXPECT_EQ(read_if_there(calls), "call\ncall\n");
}

}  // namespace
}  // namespace jitune::internal
