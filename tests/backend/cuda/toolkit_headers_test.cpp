// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compile/toolkit_headers.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "backend/cuda/compile/nvrtc_compiler.hpp"
#include "jitune/error.hpp"
#include "support/line_directive.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

class ToolkitHeaders : public ::testing::Test {
protected:
    void SetUp() override {
        for (const char* const name : {"cub/cub.cuh", "cuda_fp16.h", "mine.h"}) {
            static_cast<void>(toolkit_.write(name, ""));
        }
    }

    [[nodiscard]] std::string leading(const std::string& text) const {
        return leading_toolkit_headers({"k.cu", text, {{"mine.h", ""}}}, folders_);
    }

    TempDir toolkit_;
    const std::vector<std::string> folders_{toolkit_.path().string()};
};

TEST_F(ToolkitHeaders, AreThoseBeforeAnythingElse) {
    EXPECT_EQ(leading("/* jitune template\n#include <no.h>\n*/\n\n// text\n#include <cub/cub.cuh>\n"
                      "#include <cuda_fp16.h>  // half\r\nint x;\n#include <cuda_fp16.h>\n"),
              "#include <cub/cub.cuh>\n#include <cuda_fp16.h>\n");
    EXPECT_EQ(leading("#include <cub/cub.cuh>"), "#include <cub/cub.cuh>\n");
}

TEST_F(ToolkitHeaders, EndAtWhateverMayChangeThem) {
    for (const char* const first :
         {"#define CUB_STDERR\n", "#if 1\n", "#include <mine.h>\n", "#include \"cuda_fp16.h\"\n",
          "#include <unknown.h>\n", "#include <cuda_fp16.h> int x;\n",
          "#include <cuda_fp16.h> \\\n", "#include CUB\n", "int x;\n", "/* no end ", "//"}) {
        EXPECT_EQ(leading(std::string(first) + "#include <cub/cub.cuh>\n"), "") << first;
    }
}

TEST_F(ToolkitHeaders, OfASourceWithFoldersStayWhereTheyAre) {
    TemplateSource source{"k.cu", "#include <cub/cub.cuh>\n", {}};
    source.include_folders = {"/elsewhere"};
    EXPECT_EQ(leading_toolkit_headers(source, folders_), "");
}

TEST_F(ToolkitHeaders, ComeBeforeTheMacrosOfParameters) {
    const std::string own =
        line_directive(1, "k.cu") + "// first\n#include <cuda_fp16.h>\nint x;\n";
    const TemplateSource source{"k.cu", "#define block 128\n" + own, {}};
    const std::string headers = leading_toolkit_headers(source, folders_);
    EXPECT_EQ(with_headers_first(source, headers, "#mark\n"),
              "#include <cuda_fp16.h>\n#mark\n#define block 128\n" + own);
}

TEST_F(ToolkitHeaders, LeaveTheNumbersOfLinesAsTheyAre) {
    const TemplateSource source{"k.cu", "#include <cuda_fp16.h>\nint x;\n", {}};
    EXPECT_EQ(with_headers_first(source, leading_toolkit_headers(source, folders_), ""),
              "#include <cuda_fp16.h>\n" + line_directive(1, "k.cu") + source.text);
    EXPECT_EQ(with_headers_first(source, "", "#mark\n"), source.text);
}

/// With NVRTC and the headers of its toolkit.
class KeptHeaders : public ::testing::Test {
protected:
    void SetUp() override {
        try {
            nvrtc_ = load_nvrtc();
        } catch (const Error& error) {
            GTEST_SKIP() << error.what();
        }
        if (toolkit_folders(*nvrtc_).empty()) {
            GTEST_SKIP() << "no headers of a CUDA toolkit";
        }
        if (!keeps_headers(*nvrtc_)) {
            GTEST_SKIP() << nvrtc_version(*nvrtc_) << " keeps no precompiled headers";
        }
    }

    /// A kernel that takes its block size from a macro, as kernels of other tuners do.
    [[nodiscard]] std::string compile(int block, PrecompiledHeaders* kept,
                                      const std::string& more = "",
                                      const std::vector<std::string>& options = {}) const {
        const TemplateSource source{
            "k.cu",
            "#define block " + std::to_string(block) + "\n" + more + line_directive(1, "k.cu") +
                "#include <cuda_fp16.h>\n"
                "extern \"C\" __global__ void k(__half* x) {\n"
                "    x[blockIdx.x * block + threadIdx.x] *= __half(2);\n}\n",
            {}};
        const std::vector<Instance> instances{{{"k"}, "", {}, options}};
        const auto outcome = compile_instances(*nvrtc_, source, instances, 90, kept).front();
        const auto* failure = std::get_if<CompileFailure>(&outcome);
        EXPECT_EQ(failure, nullptr) << failure->log;
        if (failure != nullptr) {
            return "";
        }
        EXPECT_EQ(*std::get<Binary>(outcome).log, "");
        return *std::get<Binary>(outcome).image;
    }

    [[nodiscard]] std::ptrdiff_t files() const {
        return std::distance(std::filesystem::directory_iterator(folder_.path()), {});
    }

    TempDir folder_;
    std::shared_ptr<const NvrtcTable> nvrtc_;
};

TEST_F(KeptHeaders, GiveTheSameCode) {
    PrecompiledHeaders kept(folder_.path());
    for (const int block : {64, 128, 256}) {
        EXPECT_EQ(compile(block, &kept), compile(block, nullptr));
        EXPECT_EQ(files(), 1) << "other macros of parameters need no other file";
    }
}

TEST_F(KeptHeaders, DoNotSeeTheMacrosOfParameters) {
    EXPECT_NE(compile(64, nullptr, "#define __hadd 1\n"), "");
}

TEST_F(KeptHeaders, OfOtherOptionsTakeThePlaceOfTheLast) {
    PrecompiledHeaders kept(folder_.path());
    for (const char* const option : {"-Done=1", "-Done=2", "-Done=3", "-Done=4"}) {
        for (const int block : {64, 128}) {
            EXPECT_EQ(compile(block, &kept, "", {option}), compile(block, nullptr, "", {option}));
            EXPECT_EQ(files(), 1) << option;
        }
    }
    EXPECT_FALSE(kept.options("#include <cuda_fp16.h>\n").empty());
}

TEST_F(KeptHeaders, AreGivenUpWhereEachProgramHasOtherOptions) {
    PrecompiledHeaders kept(folder_.path());
    for (int one = 0; one < 5; ++one) {
        EXPECT_NE(compile(64, &kept, "", {"-Done=" + std::to_string(one)}), "");
        EXPECT_LE(files(), 1) << one;
    }
    EXPECT_TRUE(kept.options("#include <cuda_fp16.h>\n").empty());
    EXPECT_FALSE(kept.options("#include <cub/cub.cuh>\n").empty()) << "those may serve";
}

TEST_F(KeptHeaders, StayAfterAProgramThatDoesNotCompile) {
    PrecompiledHeaders kept(folder_.path());
    const TemplateSource source{"k.cu", "#include <cuda_fp16.h>\nint wrong = \"\";\n", {}};
    const std::vector<Instance> instances{{{"k"}}};
    compile_instances(*nvrtc_, source, instances, 90, &kept);
    EXPECT_NE(compile(64, &kept), "");
    EXPECT_EQ(files(), 1);
}

TEST_F(KeptHeaders, AreGivenUpWhereTheyCannotBeWritten) {
    PrecompiledHeaders kept(folder_.write("file", "no folder"));
    EXPECT_EQ(compile(64, &kept), compile(64, nullptr));
    EXPECT_TRUE(kept.options("#include <cuda_fp16.h>\n").empty());
}

}  // namespace
}  // namespace jitune::internal
