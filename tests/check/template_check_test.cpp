// SPDX-License-Identifier: Apache-2.0
// Mistakes in templates, each found at its line without a GPU.
#include "check/template_check.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backend/platform_table.hpp"
#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

// Line by line, so that a test can spoil one and knows its number.
const std::vector<std::string> kGood{
    "/* jitune template",                                                  // 1
    "kernel = \"k\"",                                                      // 2
    "backend = \"cuda\"",                                                  // 3
    "sizes = [\"n\"]",                                                     // 4
    "constraints = [\"block <= max_threads_per_block\"]",                  // 5
    "options = [\"--fmad=true\"]",                                         // 6
    "[parameters]",                                                        // 7
    "block = { values = [64, 256, 2048], default = 256 }",                 // 8
    "[arguments]",                                                         // 9
    "x = { access = \"in\", type = \"float32\", count = \"n\" }",          // 10
    "y = { access = \"out\", type = \"float32\", count = \"n\" }",         // 11
    "[[launch]]",                                                          // 12
    "entry = \"k\"",                                                       // 13
    "template = [\"block\"]",                                              // 14
    "arguments = [\"y\", \"x\"]",                                          // 15
    "grid = \"ceil_div(n, block)\"",                                       // 16
    "block = \"block\"",                                                   // 17
    "[reference]",                                                         // 18
    "default = true",                                                      // 19
    "*/",                                                                  // 20
    "template <int Block> __global__ void k(float* y, const float* x) {",  // 21
    "    __shared__ float part[Block];",                                   // 22
    "    part[threadIdx.x] = x[blockIdx.x * Block + threadIdx.x];",        // 23
    "    y[blockIdx.x * Block + threadIdx.x] = part[threadIdx.x];",        // 24
    "}",                                                                   // 25
};

std::string text_with(std::size_t line, const std::string& other) {
    std::string text;
    for (std::size_t i = 0; i < kGood.size(); ++i) {
        text += (i + 1 == line ? other : kGood[i]) + "\n";
    }
    return text;
}

class TemplateCheckTest : public testing::Test {
protected:
    void SetUp() override {
        const MakeCompiler make = platform_entry(PlatformKind::cuda).make_compiler;
        if (make == nullptr) {
            GTEST_SKIP() << "built without CUDA";
        }
        try {
            compile_ = make({}).compile;
        } catch (const Error& error) {
            GTEST_SKIP() << error.what();
        }
        inspector_ = platform_entry(PlatformKind::cuda).make_inspector();
    }

    TemplateCheck check(const std::string& text) {
        const KernelTemplate kernel({"k.cu", text, {}});
        std::vector<CheckDevice> devices;
        for (const char* name : {"sm_75", "sm_90"}) {
            devices.push_back({inspector_->device(name).value(), compile_, inspector_});
        }
        return check_template(kernel, {"k", {}, {4096}}, devices, 0);
    }

    /// Expects an error at a line, from the front matter or from the check.
    void expect_found(std::size_t line, const std::string& other, const std::string& words,
                      std::size_t at = 0) {
        SCOPED_TRACE(other);
        const std::string place = fmt::format("k.cu:{}", at == 0 ? line : at);
        try {
            for (const Finding& finding : check(text_with(line, other)).findings) {
                if (finding.place == place && finding.text.find(words) != std::string::npos) {
                    return;
                }
                ADD_FAILURE() << finding.place << ": " << finding.text;
            }
            ADD_FAILURE() << "no such finding";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(place + ":"), std::string::npos)
                << error.what();
            EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
        }
    }

    CompileFor compile_;
    std::shared_ptr<const KernelInspector> inspector_;
};

TEST_F(TemplateCheckTest, TellsResourcesAndOccupancyOfEachConfiguration) {
    const TemplateCheck check = this->check(text_with(0, ""));
    EXPECT_TRUE(check.findings.empty());
    ASSERT_EQ(check.devices.size(), 2U);
    for (const DeviceCheck& device : check.devices) {
        EXPECT_EQ(device.space.combinations, 3);
        EXPECT_EQ(device.space.legal, 2U);
        ASSERT_EQ(device.configurations.size(), 2U);
        const CheckedConfiguration& first = device.configurations.front();
        EXPECT_EQ(first.configuration, "block=256");
        EXPECT_EQ(first.threads, 256);
        ASSERT_TRUE(first.resources && first.occupancy);
        EXPECT_EQ(first.resources->shared_bytes, 1024);
        EXPECT_GT(first.resources->registers, 0);
        EXPECT_EQ(first.occupancy->share, 1);
    }
    EXPECT_EQ(check.devices[0].configurations[0].occupancy->blocks_per_sm, 4);
    EXPECT_EQ(check.devices[1].configurations[0].occupancy->blocks_per_sm, 8);
}

TEST_F(TemplateCheckTest, TellsWhichRuleGivesTheDefault) {
    const TemplateCheck none = check(text_with(0, ""));
    EXPECT_EQ(none.devices.front().standard, "block=256");
    EXPECT_EQ(none.devices.front().rule_line, 0);
    const std::string rules =
        "[[default]]\nwhen = \"n > 4096\"\nblock = 256\n[[default]]\nblock = \"64\"\n[arguments]";
    const TemplateCheck check = this->check(text_with(9, rules));
    EXPECT_TRUE(check.findings.empty());
    for (const DeviceCheck& device : check.devices) {
        EXPECT_EQ(device.standard, "block=64");
        EXPECT_EQ(device.configurations.front().configuration, "block=64");
        EXPECT_EQ(device.rule_line, 12);
        EXPECT_EQ(device.rule_when, "");
    }
}

TEST_F(TemplateCheckTest, WarnsOfARuleThatCannotAnswer) {
    const TemplateCheck check = this->check(text_with(9, "[[default]]\nblock = 2048\n[arguments]"));
    EXPECT_EQ(check.devices.front().standard, "block=256");
    ASSERT_EQ(check.findings.size(), 1U);
    EXPECT_EQ(check.findings.front().level, Finding::Level::warning);
    EXPECT_EQ(check.findings.front().place, "k.cu:9");
    EXPECT_EQ(check.findings.front().devices.size(), 2U);
}

TEST_F(TemplateCheckTest, FindsMistakesInTheCode) {
    expect_found(24, "    y[0] = part[threadIdx.x]", "expected a \";\"", 25);
    expect_found(23, "    part[threadIdx.x] = z[0];", "identifier \"z\" is undefined");
    expect_found(22, "    __shared__ float part[Block]; static_assert(Block < 256);",
                 "static assertion failed");
    expect_found(22, "    __shared__ float part[Block * 256];", "uses too much shared data", 13);
}

TEST_F(TemplateCheckTest, FindsMistakesBetweenFrontMatterAndCode) {
    expect_found(13, "entry = \"kk\"", "identifier \"kk\" is undefined");
    expect_found(6, "options = [\"--no-such-option\"]", "no-such-option", 13);
    expect_found(5, "constraints = []", "blocks of more than 1024 threads", 13);
    expect_found(17, "block = \"block\"\nshared_bytes = \"300000\"", "bytes of shared memory", 13);
    expect_found(21, "#include \"none.h\"\n" + kGood[20], "none.h", 13);
}

TEST_F(TemplateCheckTest, FindsLaunchesThatMustFail) {
    expect_found(17, "block = \"block\"\ncluster = \"4\"", "clusters and programmatic launches",
                 13);
    expect_found(16, "grid = [\"1\", \"70000\"]", "y and z go up to 65535", 13);
    expect_found(17, "block = \"block\"\nshared_bytes = \"1024 / (block - 256)\"", "shared_bytes",
                 13);
}

TEST_F(TemplateCheckTest, ComparesArgumentsWithTheKernelsParameters) {
    expect_found(15, "arguments = [\"y\"]",
                 "passes 1 argument: y (pointer); the kernel takes 2: 8 bytes, 8 bytes;", 13);
    expect_found(15, "arguments = [\"y\", \"x\", \"x\"]", "passes 3 arguments", 13);
    expect_found(21, "template <int Block> __global__ void k(float* y, int x) {\n#define x y",
                 "passes x (pointer) as argument 2, of 8 bytes; the kernel takes 4 there", 13);
    expect_found(21, "template <int Block> __global__ void k() { __shared__ float x[1], y[1];",
                 "the kernel takes 0;", 13);
    expect_found(21,
                 "struct S { float part[5000]; };\n"
                 "template <int Block> __global__ void k(float* y, S s) { const float* x = s.part;",
                 "the kernel takes 20000 there", 13);
}

TEST_F(TemplateCheckTest, ComparesScalarsByTheirSize) {
    std::string text = text_with(15, "arguments = [\"y\", \"x\", \"count\"]");
    const auto replace = [&](const std::string& from, const std::string& to) {
        text.replace(text.find(from), from.size(), to);
    };
    replace("[[launch]]",
            "count = { access = \"scalar\", type = \"int64\", value = \"n\" }\n[[launch]]");
    replace("const float* x)", "const float* x, long long count)");
    EXPECT_TRUE(check(text).findings.empty());
    replace("long long", "int");
    const TemplateCheck found = check(text);
    ASSERT_EQ(found.findings.size(), 1U);
    EXPECT_EQ(found.findings[0].place, "k.cu:14");
    EXPECT_EQ(found.findings[0].text,
              "the launch passes count (int64) as argument 3, of 8 bytes; the kernel takes 4 "
              "there; make type and order those of the kernel's parameters");
    EXPECT_EQ(found.findings[0].configurations, 4U);
}

TEST_F(TemplateCheckTest, ComparesTheArgumentsOfTheReference) {
    const std::string reference =
        "entry = \"plain\"\narguments = [\"y\"]\ngrid = \"1\"\nblock = \"1\"";
    std::string text = text_with(19, reference) + "__global__ void plain(float*, float*) {}\n";
    const TemplateCheck found = check(text);
    ASSERT_EQ(found.findings.size(), 1U);
    EXPECT_EQ(found.findings[0].example, "[reference]");
    EXPECT_NE(found.findings[0].text.find("the kernel takes 2"), std::string::npos);
}

TEST_F(TemplateCheckTest, CountsEachConfigurationOnce) {
    const TemplateCheck check =
        this->check(text_with(23, "    int idle; part[threadIdx.x] = x[0];"));
    ASSERT_EQ(check.findings.size(), 1U);
    EXPECT_EQ(check.findings[0].configurations, 4U);  // two on each of two architectures
    EXPECT_EQ(check.findings[0].example, "block=256");
}

TEST_F(TemplateCheckTest, ComparesTextureObjectsWithTheKernelsParameters) {
    std::string text =
        text_with(10, "x = { access = \"in\", type = \"float32\", count = \"n\", texture = {} }");
    const auto replace = [&](const std::string& from, const std::string& to) {
        text.replace(text.find(from), from.size(), to);
    };
    replace("const float* x", "cudaTextureObject_t x");
    replace("x[blockIdx.x * Block + threadIdx.x]",
            "tex1Dfetch<float>(x, blockIdx.x * Block + threadIdx.x)");
    const TemplateCheck good = check(text);
    EXPECT_TRUE(good.findings.empty()) << good.findings.front().text;
    replace("cudaTextureObject_t x", "int x");
    replace("tex1Dfetch<float>(x, blockIdx.x * Block + threadIdx.x)", "x");
    const TemplateCheck bad = check(text);
    ASSERT_EQ(bad.findings.size(), 1U);
    EXPECT_NE(bad.findings[0].text.find("passes x (texture object) as argument 2, of 8 bytes"),
              std::string::npos)
        << bad.findings[0].text;
}

TEST_F(TemplateCheckTest, FindsTexturesThatNoDeviceCanRead) {
    const auto findings = [&](const std::string& count, const std::string& keys) {
        std::string text = text_with(
            10, fmt::format("x = {{ access = \"in\", type = \"float32\", count = \"{}\", texture = "
                            "{{ {} }} }}",
                            count, keys));
        const std::string parameter = "const float* x";
        text.replace(text.find(parameter), parameter.size(), "cudaTextureObject_t x");
        const std::string read = "x[blockIdx.x * Block + threadIdx.x]";
        text.replace(text.find(read), read.size(), "tex2D<float>(x, blockIdx.x, threadIdx.x)");
        return check(text).findings;
    };
    const auto expect_flaw = [&](const std::string& count, const std::string& keys,
                                 const std::string& words) {
        SCOPED_TRACE(keys);
        const auto found = findings(count, keys);
        ASSERT_EQ(found.size(), 1U);
        EXPECT_EQ(found[0].place, "k.cu:10");
        EXPECT_NE(found[0].text.find(words), std::string::npos) << found[0].text;
    };
    EXPECT_TRUE(findings("n", "width = \"1000\", height = \"4\", pitch = \"1024\"").empty());
    expect_flaw("n", "width = \"1001\", height = \"4\"",
                "the texture of x has 1001 x 4 texels of 4 bytes: its rows are 4004 bytes apart, "
                "which must be a multiple of 32");
    expect_flaw("n", "width = \"n\", height = \"2\", pitch = \"n / 2\"",
                "its pitch of 2048 texels is less than its width");
    expect_flaw("n - 1", "width = \"n\", height = \"1\"",
                "it has 16384 bytes, and the array 16380");
    expect_flaw("200000", "width = \"200000\", height = \"1\"",
                "its width is 200000, and the device's textures have at most 131072");
    expect_flaw("n * 131072", "", "its width is 536870912");
}

TEST_F(TemplateCheckTest, FindsMistakesInTheFrontMatter) {
    expect_found(5, "constraints = [\"block <= most_threads\"]", "most_threads");
    expect_found(8, "block = { values = [64, 256], default = 128 }", "default of parameter block");
    expect_found(15, "arguments = [\"y\", \"z\"]", "which is not an argument", 12);
    expect_found(16, "grid = \"ceil_div(n block)\"", "ceil_div(n block)", 12);
    expect_found(5, "constraints = [\"block > 4096\"]", "block > 4096");
}

}  // namespace
}  // namespace jitune::internal
