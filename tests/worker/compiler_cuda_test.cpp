// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "backend/cuda/compile/cuda_compiler.hpp"
#include "backend/cuda/compile/nvrtc_compiler.hpp"
#include "support/message.hpp"
#include "support/process.hpp"
#include "support/temp_dir.hpp"
#include "tuning/isolation/compiler_pool.hpp"

namespace jitune::internal {
namespace {

/// Processes of run_compiler().
class CompilerTest : public testing::Test {
protected:
    CompilerTest() {
        device_.platform = PlatformKind::cuda;
        device_.attributes["compute_capability"] = 90;
    }
    ~CompilerTest() override {
        before_.empty() ? ::unsetenv("JITUNE_NVRTC") : ::setenv("JITUNE_NVRTC", before_.c_str(), 1);
    }

    static void use_nvrtc(const char* file) { ::setenv("JITUNE_NVRTC", file, 1); }

    std::vector<CompileOutcome> compile(const std::vector<std::string>& expressions) {
        std::vector<Instance> instances;
        for (const std::string& expression : expressions) {
            instances.push_back({{expression}});
        }
        CompileCall call;
        return pool_.compile(device_, source_, instances, call).value();
    }

    const std::string before_ =
        std::getenv("JITUNE_NVRTC") == nullptr ? "" : std::getenv("JITUNE_NVRTC");
    const Log log_{LogLevel::off};
    DeviceInfo device_;
    CompilerPool pool_{PlatformKind::cuda, [] { return JITUNE_COMPILER; }, log_};
    TemplateSource source_{"scale.cu",
                           "#include \"times.h\"\n"
                           "template <int Factor> __global__ void scale(int* values) {\n"
                           "    static_assert(Factor != 13, \"thirteen is not to be had\");\n"
                           "    values[threadIdx.x] = times(values[threadIdx.x], Factor);\n"
                           "}\n",
                           {{"times.h", "template <class T> T times(T a, T b) { return a * b; }"}}};
};

TEST_F(CompilerTest, MakesTheSameBinariesAsThisProcess) {
    std::shared_ptr<const NvrtcTable> nvrtc;
    try {
        nvrtc = load_nvrtc();
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    const std::vector<Instance> instances{{{"scale<2>"}}, {{"scale<3>", "scale<4>"}}};
    const auto here = compile_instances(*nvrtc, source_, instances, 90);
    CompileCall call;
    const auto there = pool_.compile(device_, source_, instances, call).value();
    ASSERT_EQ(there.size(), here.size());
    for (std::size_t i = 0; i < here.size(); ++i) {
        EXPECT_EQ(*std::get<Binary>(there[i]).image, *std::get<Binary>(here[i]).image);
        EXPECT_EQ(std::get<Binary>(there[i]).format, std::get<Binary>(here[i]).format);
        EXPECT_EQ(std::get<Binary>(there[i]).symbols, std::get<Binary>(here[i]).symbols);
    }
    const auto outcomes = compile({"scale<5>", "scale<13>"});
    EXPECT_TRUE(std::holds_alternative<Binary>(outcomes.front()));
    EXPECT_NE(std::get<CompileFailure>(outcomes.back()).log.find("thirteen is not to be had"),
              std::string::npos);
}

TEST_F(CompilerTest, AnInstanceThatEndsTheCompilerCostsNoOther) {
    use_nvrtc(JITUNE_ODD_NVRTC);
    const auto outcomes = compile({"one", "kill", "two"});
    ASSERT_EQ(outcomes.size(), 3U);
    EXPECT_EQ(*std::get<Binary>(outcomes[0]).image, "one\n");
    EXPECT_EQ(std::get<CompileFailure>(outcomes[1]).log,
              "the compiler took its process down: signal 9 (Killed)");
    EXPECT_EQ(*std::get<Binary>(outcomes[2]).image, "two\n");
}

TEST_F(CompilerTest, WithoutNvrtcThisProcessHasToSayWhy) {
    use_nvrtc("/nowhere/libnvrtc.so");
    CompileCall call;
    EXPECT_FALSE(pool_.compile(device_, source_, {{Instance{{"one"}}}}, call));
}

TEST_F(CompilerTest, TellsTheCompilerThatCompiles) {
    use_nvrtc(JITUNE_ODD_NVRTC);
    const auto name = pool_.name();
    ASSERT_TRUE(name);
    EXPECT_EQ(name->version, "NVRTC 13.0");
    EXPECT_NE(name->key.find(JITUNE_ODD_NVRTC), std::string::npos) << name->key;
    EXPECT_TRUE(is_present_nvrtc(name->key));
}

TEST_F(CompilerTest, NvrtcInThisProcessIsNotInUseDuringItsDestructors) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process, which runs this test alone
    use_nvrtc(JITUNE_ODD_NVRTC);
    const auto end_while_threads_compile = [&] {
        static CudaCompiler compiler(load_nvrtc);
        static std::atomic<int> compiles{0};
        static const TemplateSource source = source_;
        for (int thread = 0; thread < 4; ++thread) {
            std::thread([] {
                const Instance instance{{"slow"}};
                try {
                    while (true) {
                        CompileCall call;
                        compiler.compile(90, source, std::span(&instance, 1), call);
                        ++compiles;
                    }
                } catch (const Error& error) {
                    const std::string_view text = error.what();
                    if (text.find("the process is ending") == std::string_view::npos) {
                        std::abort();
                    }
                }
            }).detach();
        }
        while (compiles < 8) {
            std::this_thread::yield();
        }
        std::exit(7);
    };
    EXPECT_EXIT(end_while_threads_compile(), testing::ExitedWithCode(7), "");
}

TEST_F(CompilerTest, NvrtcMayBeInItsFirstUseInThisProcessAsThatEnds) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    use_nvrtc(JITUNE_ODD_NVRTC);
    const TempDir dir;
    const auto end_in_the_first_compile = [&] {
        static CudaCompiler compiler(load_nvrtc);
        static const TemplateSource source = source_;
        const std::filesystem::path begun = dir.path() / "begun";
        ::setenv("ODD_NVRTC_FILE", begun.c_str(), 1);
        std::thread([] {
            const Instance instance{{"slow first"}};
            CompileCall call;
            compiler.compile(90, source, std::span(&instance, 1), call);
        }).detach();
        while (!std::filesystem::exists(begun)) {
            std::this_thread::yield();
        }
        std::exit(7);
    };
    EXPECT_EXIT(end_in_the_first_compile(), testing::ExitedWithCode(7), "");
}

TEST_F(CompilerTest, EndsWithItsParentInTheMiddleOfACompile) {
    constexpr std::chrono::seconds kEnough{60};
    const TempDir dir;
    const std::filesystem::path begun = dir.path() / "begun";
    auto [ours, theirs] = MessageChannel::make_pair();
    ProcessCommand command;
    command.program = JITUNE_COMPILER;
    const std::filesystem::path kept = dir.write("headers/kept.pch", "").parent_path();
    command.arguments = {"compiler", "cuda", kept};
    command.environment = {"ODD_NVRTC_FILE=" + begun.string(), "JITUNE_NVRTC=" JITUNE_ODD_NVRTC};
    const ChildProcess compiler(command, ChildStreams{.input = theirs.number()});
    theirs.close();
    {
        MessageChannel channel(std::move(ours));
        Message message{compiler_messages::kCompile};
        MessageWriter writer(message);
        write_compile_request(writer, {device_, source_, {{{"hang"}}}});
        ASSERT_TRUE(channel.send(message));
        while (!std::filesystem::exists(begun) && !compiler.end()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        ASSERT_FALSE(compiler.end());
    }
    const auto end = compiler.end_within(kEnough);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->exit_code, 0);
    EXPECT_FALSE(std::filesystem::exists(kept)) << "the parent cannot remove its headers";
}

TEST_F(CompilerTest, RefusesMessagesThatAreNone) {
    auto [ours, theirs] = MessageChannel::make_pair();
    ProcessCommand command;
    command.program = JITUNE_COMPILER;
    command.arguments = {"compiler", "cuda"};
    const ChildProcess compiler(command, ChildStreams{.input = theirs.number()});
    theirs.close();
    MessageChannel channel(std::move(ours));
    ASSERT_TRUE(channel.send({compiler_messages::kCompile, "no request"}));
    const auto end = compiler.end_within(std::chrono::seconds(60));
    ASSERT_TRUE(end);
    EXPECT_EQ(end->exit_code, 1);
}

}  // namespace
}  // namespace jitune::internal
