// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compile/nvrtc_compiler.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "backend/cuda/compile/cuda_program.hpp"
#include "backend/cuda/compile/source_check.hpp"
#include "backend/cuda/driver/cuda_inspector.hpp"
#include "jitune/error.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

const char* const kScale = R"(
#include "operations.cuh"
template <class T, int Factor>
__global__ void scale(T* values) {
    static_assert(Factor != 13, "thirteen is not to be had");
    values[threadIdx.x] = times(values[threadIdx.x], Factor);
}
)";

TemplateSource scale_source() {
    return {"scale.cu",
            kScale,
            {{"operations.cuh", "template <class T> T times(T a, int b) { return a * T(b); }\n"}}};
}

TemplateSource source_of(std::string text) {
    return {"kernel.cu", std::move(text), {}};
}

Instance one(std::string expression) {
    return {{std::move(expression)}};
}

class NvrtcCompiler : public ::testing::Test {
protected:
    void SetUp() override {
        try {
            nvrtc_ = load_nvrtc();
        } catch (const Error& error) {
            GTEST_SKIP() << error.what();
        }
    }

    std::vector<CompileOutcome> compile(const TemplateSource& source,
                                        const std::vector<Instance>& instances, int cc = 90) {
        return compile_instances(*nvrtc_, source, instances, cc);
    }
    std::string log_of(const TemplateSource& source, const std::string& expression) {
        const auto outcome = compile(source, {one(expression)}).front();
        const auto* failure = std::get_if<CompileFailure>(&outcome);
        return failure == nullptr ? "" : failure->log;
    }
    [[nodiscard]] bool refuses_source(const std::string& text) {
        return log_of(source_of(text + "\n__global__ void k() {}\n"), "k").find("own headers") !=
               std::string::npos;
    }

    std::shared_ptr<const NvrtcTable> nvrtc_;
};

TEST_F(NvrtcCompiler, GivesSymbolsInTheOrderOfTheExpressions) {
    const auto outcomes = compile(scale_source(), {{{"scale<float, 2>", "scale<int, 3>"}}});
    const auto& binary = std::get<Binary>(outcomes.at(0));
    EXPECT_EQ(binary.format, "cubin");
    ASSERT_EQ(binary.symbols.size(), 2U);
    EXPECT_NE(binary.symbols[0].find("IfLi2E"), std::string::npos) << binary.symbols[0];
    EXPECT_NE(binary.symbols[1].find("IiLi3E"), std::string::npos) << binary.symbols[1];
    EXPECT_NO_THROW(check_image(binary.format, *binary.image));
}

TEST_F(NvrtcCompiler, TellsTheParametersOfAKernelInACubin) {
    const auto outcome =
        compile(source_of("struct Long { float part[5000]; };\n"
                          "__global__ void k(float*, char, double, int) {}\n"
                          "__global__ void many(Long, short) {}\n__global__ void none() {}\n"),
                {{{"k", "many", "none"}}})
            .front();
    const auto& binary = std::get<Binary>(outcome);
    using Bytes = std::vector<std::int64_t>;
    const auto inspector = make_cuda_inspector();
    EXPECT_EQ(inspector->parameters(binary, binary.symbols[0]), (Bytes{8, 1, 8, 4}));
    EXPECT_EQ(inspector->parameters(binary, binary.symbols[1]), (Bytes{20000, 2}));
    EXPECT_EQ(inspector->parameters(binary, binary.symbols[2]), Bytes{});
    EXPECT_EQ(inspector->parameters(binary, "k"), std::nullopt);
    for (std::size_t length = 0; length < binary.image->size(); ++length) {  // reads no further
        Binary part = binary;
        part.image = std::make_shared<const std::string>(binary.image->substr(0, length));
        EXPECT_NE(inspector->parameters(part, binary.symbols[0]), Bytes{}) << length;
    }
}

TEST_F(NvrtcCompiler, SharesOneImageAmongTheInstancesOfABatch) {
    const auto outcomes = compile(scale_source(), {one("scale<float, 2>"), one("scale<float, 3>")});
    EXPECT_EQ(std::get<Binary>(outcomes[0]).image, std::get<Binary>(outcomes[1]).image);
}

TEST_F(NvrtcCompiler, ChargesABadInstanceToItselfAlone) {
    const auto outcomes =
        compile(scale_source(), {one("scale<float, 2>"), one("scale<float, 13>"),
                                 one("scale<float, 3>"), one("no_such_kernel<1>")});
    EXPECT_TRUE(std::holds_alternative<Binary>(outcomes[0]));
    EXPECT_TRUE(std::holds_alternative<Binary>(outcomes[2]));
    EXPECT_NE(std::get<CompileFailure>(outcomes[1]).log.find("thirteen is not to be had"),
              std::string::npos);
    EXPECT_NE(std::get<CompileFailure>(outcomes[3]).log.find("no_such_kernel"), std::string::npos);
}

TEST_F(NvrtcCompiler, NamesTheSourceInItsLog) {
    EXPECT_NE(log_of(scale_source(), "scale<float, 13>").find("scale.cu"), std::string::npos);
}

TEST_F(NvrtcCompiler, CompilesForEveryArchitectureFromTuringToBlackwell) {
    for (const int cc : {75, 80, 86, 89, 90, 100, 120}) {
        const auto outcome = compile(scale_source(), {one("scale<double, 2>")}, cc).front();
        ASSERT_TRUE(std::holds_alternative<Binary>(outcome)) << cc;
        EXPECT_EQ(std::get<Binary>(outcome).format, "cubin") << cc;
    }
}

TEST_F(NvrtcCompiler, MakesPtxForADeviceThatIsNewerThanItself) {
    const auto outcome = compile(scale_source(), {one("scale<double, 2>")}, 999).front();
    const auto& binary = std::get<Binary>(outcome);
    EXPECT_EQ(binary.format, "ptx");
    EXPECT_EQ(binary.image->back(), '\0');
    EXPECT_NO_THROW(check_image(binary.format, *binary.image));
    EXPECT_NE(binary.image->find(binary.symbols.at(0)), std::string::npos);
}

TEST_F(NvrtcCompiler, IsUnavailableForADeviceThatIsOlderThanItKnows) {
    try {
        compile(scale_source(), {one("scale<double, 2>")}, 20);
        FAIL() << "compiled for 2.0";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unavailable);
        EXPECT_NE(std::string(error.what()).find("2.0"), std::string::npos) << error.what();
    }
}

TEST_F(NvrtcCompiler, RefusesEveryWayToIncludeAFile) {
    for (const char* text : {
             "#include \"/etc/hostname\"",
             "#include </etc/hostname>",
             "  # \t include \"/etc/hostname\"",
             "#/* a comment */include \"/etc/hostname\"",
             "/* a comment */ #include \"/etc/hostname\"",
             "#inc\\\nlude \"/etc/hostname\"",
             "%:include \"/etc/hostname\"",
             "#define NAME \"/etc/hostname\"\n#include NAME",
             "#include_next <stdio.h>",
             "#import \"/etc/hostname\"",
             "auto s = R\"x(\n)x\";\n#include \"/etc/hostname\"",
             "int n = 1'000;\n#include \"/etc/hostname\"",
             "char c = '\"';\n#include \"/etc/hostname\"",
             "#include <no_such_header.h>",
             "#include <../include/cuda_fp16.h>",
             "#include \"CMakeLists.txt\"",
         }) {
        EXPECT_TRUE(refuses_source(text)) << text;
    }
}

TEST_F(NvrtcCompiler, FindsHeadersOfTheToolkit) {
    if (toolkit_folders(*nvrtc_).empty()) {
        GTEST_SKIP() << "no headers of a CUDA toolkit";
    }
    const std::string text =
        "#include <cooperative_groups.h>\n#include <cub/block/block_reduce.cuh>\n"
        "#include <cuda/std/limits>\n#include <cuda_fp16.h>\n"
        "template <int Block> __global__ void k(const float* from, float* to) {\n"
        "    using Reduce = cub::BlockReduce<float, Block>;\n"
        "    __shared__ typename Reduce::TempStorage storage;\n"
        "    const float sum = Reduce(storage).Sum(from[threadIdx.x]);\n"
        "    cooperative_groups::this_grid().sync();\n"
        "    if (threadIdx.x == 0) *to = min(sum, cuda::std::numeric_limits<float>::max());\n}\n";
    for (const int cc : {75, 90, 120}) {
        const auto outcome = compile(source_of(text), {one("k<256>")}, cc).front();
        const auto* failure = std::get_if<CompileFailure>(&outcome);
        EXPECT_EQ(failure, nullptr) << failure->log;
    }
}

TEST_F(NvrtcCompiler, LooksForHeadersInTheFoldersOfTheSource) {
    const TempDir folder;
    static_cast<void>(folder.write("answer.h", "constexpr int kAnswer = 42;\n"));
    TemplateSource source =
        source_of("#include \"answer.h\"\n__global__ void k(int* to) { *to = kAnswer; }\n");
    EXPECT_NE(log_of(source, "k"), "");
    source.include_folders = {folder.path().string()};
    EXPECT_EQ(log_of(source, "k"), "");
}

TEST_F(NvrtcCompiler, GivesTheOptionsOfInstancesAndKeepsTheLog) {
    const TemplateSource source = source_of(
        "__global__ void k(float* to) {\n#ifdef WANTED\n    *to = WANTED;\n#else\n"
        "#error not wanted\n#endif\n}\n");
    EXPECT_NE(log_of(source, "k"), "");
    Instance instance = one("k");
    instance.options = {"-DWANTED=7", "--ptxas-options=-v", "-std=c++17"};
    const auto outcome = compile(source, {instance}).front();
    const auto* binary = std::get_if<Binary>(&outcome);
    ASSERT_NE(binary, nullptr) << std::get<CompileFailure>(outcome).log;
    EXPECT_NE(binary->log->find("registers"), std::string::npos) << *binary->log;
}

TEST_F(NvrtcCompiler, GivesTheSymbolsOfConstants) {
    const auto outcome =
        compile(
            source_of("__constant__ float filter[4];\nnamespace deep { __constant__ int shift; }\n"
                      "__global__ void k(float* to) { *to = filter[deep::shift]; }\n"),
            {{{"k", "&filter", "&deep::shift"}}})
            .front();
    const auto* binary = std::get_if<Binary>(&outcome);
    ASSERT_NE(binary, nullptr) << std::get<CompileFailure>(outcome).log;
    ASSERT_EQ(binary->symbols.size(), 3U);
    EXPECT_EQ(binary->symbols[1], "filter");
    EXPECT_NE(binary->symbols[2].find("shift"), std::string::npos);
}

TEST_F(NvrtcCompiler, SaysWhichOptionItDoesNotKnow) {
    Instance instance = one("k");
    instance.options = {"--no-such-option"};
    const auto outcome = compile(source_of("__global__ void k() {}\n"), {instance}).front();
    EXPECT_NE(std::get<CompileFailure>(outcome).log.find("no-such-option"), std::string::npos)
        << std::get<CompileFailure>(outcome).log;
}

TEST_F(NvrtcCompiler, ReadsNoIncludeIntoCommentsAndStrings) {
    for (const char* text : {
             "// #include \"/etc/hostname\"",
             "/*\n# includes the tail\n#include <x>\n*/",
             "__device__ const char* s = \"\\\n#include <x>\";",
             "__device__ const char* s = R\"toml(\n#include <x>\n)toml\";",
         }) {
        EXPECT_FALSE(refuses_source(text)) << text;
    }
}

TEST_F(NvrtcCompiler, HasTexturesAndTheRuntimesTypesWhereTheyAreNamed) {
    EXPECT_EQ(log_of(source_of("__global__ void k(cudaTextureObject_t image, float* to) {\n"
                               "    *to = tex2D<float>(image, 0.0f, 0.0f);\n}\n"),
                     "k"),
              "");
    const TemplateSource in_header{
        "kernel.cu",
        "#include \"device.h\"\n__global__ void k(int* to) { *to = device(); }",
        {{"device.h", "inline int device() { return static_cast<int>(cudaSuccess); }\n"}}};
    EXPECT_EQ(log_of(in_header, "k"), "");
}

TEST_F(NvrtcCompiler, HasVectorsAssertionsAndPrintfEverywhere) {
    EXPECT_EQ(log_of(source_of("#undef NDEBUG\n__global__ void k(float4* to, dim3 size) {\n"
                               "    if (size.x == 0) __trap();\n"
                               "    printf(\"%d\", __float2int_rn(to->x));\n"
                               "    *to = make_float4(1, 2, 3, __shfl_sync(~0u, to->y, 0));\n}\n"),
                     "k"),
              "");
}

TEST_F(NvrtcCompiler, ChecksTheHeadersToo) {
    TemplateSource source = scale_source();
    source.headers[0].second += "#include \"/etc/hostname\"\n";
    EXPECT_NE(log_of(source, "scale<int, 1>").find("/etc/hostname"), std::string::npos);
}

TEST_F(NvrtcCompiler, RefusesExpressionsThatAreNotPlainNames) {
    for (const std::string& expression : {
             std::string("scale<int, 2>\n#include \"/etc/hostname\""),
             std::string("scale<int, 2>\0", 14),
             std::string("#include </etc/hostname>"),
             std::string("scale<int, 2>; int x"),
             std::string("(scale<int, 2>, scale<int, 3>)"),
             std::string("scale<int, 2>, scale<int, 3>"),
             std::string("scale<int, 2> // "),
             std::string(""),
         }) {
        const std::string log = log_of(scale_source(), expression);
        EXPECT_FALSE(log.empty()) << expression;
        EXPECT_EQ(log.find("error:"), std::string::npos) << "the compiler saw " << expression;
    }
}

TEST_F(NvrtcCompiler, RefusesANulInTheSource) {
    EXPECT_NE(log_of(source_of(std::string("__global__ void k() {}\0 x", 25)), "k").find("NUL"),
              std::string::npos);
}

TEST_F(NvrtcCompiler, ServesManyThreadsAtOnce) {
    constexpr int kThreads = 8;
    std::vector<int> good(kThreads, 0);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            const auto outcomes =
                compile(scale_source(),
                        {one("scale<int, " + std::to_string(t) + ">"), one("scale<int, 13>")});
            good[static_cast<std::size_t>(t)] = std::holds_alternative<Binary>(outcomes[0]) &&
                                                std::holds_alternative<CompileFailure>(outcomes[1]);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(good, std::vector<int>(kThreads, 1));
}

TEST_F(NvrtcCompiler, TellsItsVersion) {
    EXPECT_EQ(nvrtc_version(*nvrtc_).rfind("NVRTC 1", 0), 0U);
}

TEST(NvrtcTable, LooksInTheToolkitThenInPackagesOfPipThenInTheSystem) {
    const TempDir dir;
    const auto file = [&](const char* name) {
        const std::filesystem::path path = dir.path() / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << "a library";
        return path.native();
    };
    const std::string toolkit = file("cuda/lib64/libnvrtc.so.12");
    const std::string package = file("site-packages/nvidia/cu13/lib/libnvrtc.so.13");
    const auto files = toolkit_files(nvrtc_library(), dir.path() / "cuda",
                                     dir.path() / "site-packages/jitune/_jitune.abi3.so");
    ASSERT_GE(files.size(), 3U);
    EXPECT_EQ(files[0], toolkit);
    EXPECT_EQ(files[1], package);
    EXPECT_EQ(files[2], "libnvrtc.so.13");
    const auto of_command =
        toolkit_files(nvrtc_library(), "", dir.path() / "site-packages/jitune/bin/jitune");
    EXPECT_EQ(of_command[0], package);
    for (const char* program : {"site-packages/other/program", "site-packages/bin/program"}) {
        EXPECT_EQ(toolkit_files(nvrtc_library(), "", dir.path() / program)[0], "libnvrtc.so.13")
            << program;
    }
    std::filesystem::permissions(dir.path() / "site-packages", std::filesystem::perms::all);
    EXPECT_EQ(toolkit_files(nvrtc_library(), "", dir.path() / "site-packages/jitune/bin/jitune")[0],
              "libnvrtc.so.13")
        << "anybody may have put a library there";
    EXPECT_EQ(toolkit_files(nvrtc_library(), "", "")[0], "libnvrtc.so.13");
}

TEST(NvrtcTable, SaysWhereItLookedAndWhatToDo) {
    ASSERT_EQ(setenv("JITUNE_NVRTC", "/nowhere/libnvrtc.so", 1), 0);
    try {
        load_nvrtc();
        FAIL() << "loaded what is not there";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::unavailable);
        EXPECT_NE(std::string(error.what()).find("/nowhere/libnvrtc.so"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("JITUNE_NVRTC"), std::string::npos);
    }
    unsetenv("JITUNE_NVRTC");
}

}  // namespace
}  // namespace jitune::internal
