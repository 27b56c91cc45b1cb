// SPDX-License-Identifier: Apache-2.0
#include "fixtures/cli_fixture.hpp"

namespace jitune::internal {
namespace {

class CliSourceTest : public CliFixture {};

const std::string kMatmul = "'" JITUNE_EXAMPLES_DIR "/matmul.host.cpp' ";
const std::string kSizes = "--size m=60 --size n=50 --size k=32 --type element=float32 ";

TEST_F(CliSourceTest, PrintsWhatTheCompilerGets) {
    const Answer answer = jitune("source " + kMatmul + "'columns=16' --type element=float64");
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_NE(answer.out.find("\n// configuration: rows=1 columns=16\n"), std::string::npos)
        << answer.out;
    EXPECT_NE(answer.out.find("\n// entries: matmul<double, 1, 16>\n"), std::string::npos);
    EXPECT_NE(answer.out.find("\n// compile: "), std::string::npos);
    EXPECT_NE(answer.out.find("&matmul<double, 1, 16>;"), std::string::npos);
    std::ofstream(path("kernel.cpp")) << answer.out;
    const json source = jitune_json("source " + kMatmul + "'columns=16' --type element=float64");
    EXPECT_NE(answer.out.find(source["source"]), std::string::npos);
    const std::string script =
        "cd \"$folder\" && $(sed -n 's|^// compile: ||p' kernel.cpp) && test -s kernel.so";
    EXPECT_EQ(shell(script).code, 0) << contents(path("err"));
}

TEST_F(CliSourceTest, ShowsTheStoredWinnerElseTheDefault) {
    const json before = jitune_json("source " + kMatmul + kSizes);
    EXPECT_EQ(before["configuration"], "rows=1 columns=64");
    const json tuned = jitune_json("tune " + kMatmul + kSizes + "--budget 0");
    const json stored = jitune_json("source " + kMatmul + kSizes);
    EXPECT_EQ(stored["configuration"], tuned["configuration"]);
    EXPECT_EQ(stored["shown_as"], "winner in " + path("tuning.db"));
    EXPECT_EQ(jitune_json("source " + kMatmul)["configuration"], "rows=1 columns=64")
        << "without sizes there is no problem whose winner it could be";
}

TEST_F(CliSourceTest, PrintsTheTemplateOfAProblemInT1) {
    write_t1();
    const std::string source = "source --arch sm_90 --input " + path("t1.json");
    const Answer answer = jitune(source);
    if (answer.code == 4) {
        GTEST_SKIP() << answer.err;
    }
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_NE(answer.out.find("#define kernel_tuner 1\n__global__ void run"), std::string::npos)
        << answer.out;
    EXPECT_NE(answer.out.find("\n// configuration: block_size_x=32\n"), std::string::npos);
    EXPECT_EQ(jitune_json(source + " block_size_x=64")["configuration"], "block_size_x=64");
    EXPECT_EQ(jitune("source --arch sm_90 " + path("t1.json")).out, answer.out);
    expect_failure("source --arch sm_90", 2, "name either a kernel template");
}

TEST_F(CliSourceTest, PutsDefinesBeforeTheTextAndOptionsIntoTheCommand) {
    std::ofstream(path("k.host.cpp")) << R"(/* jitune template
kernel = "k"
backend = "host"
sizes = ["n"]
defines = ["unroll"]
options = ["-ffast-math"]
[parameters]
unroll = { values = [1, 2], default = 1 }
[arguments]
out = { access = "out", type = "int32", count = "n" }
[[launch]]
entry = "k"
arguments = ["out"]
*/
void k(int* out) { out[0] = unroll; }
)";
    const json source = jitune_json("source " + path("k.host.cpp") + " unroll=2 --option -g");
    EXPECT_NE(source["source"].get<std::string>().find("#define unroll 2\n#line 1 \"" +
                                                       path("k.host.cpp") + "\"\n"),
              std::string::npos);
    const json& command = source["command"];
    EXPECT_EQ(command[command.size() - 2], "-ffast-math");
    EXPECT_EQ(command.back(), "-g");
    const json kept =
        jitune_json("source " + path("k.host.cpp") + " unroll=2 --keep " + path("kept"));
    const std::string folder = kept["folder"];
    EXPECT_TRUE(std::filesystem::exists(folder + "/kernel.so"));
    EXPECT_EQ(contents(folder + "/kernel.cpp"), kept["source"].get<std::string>());
    std::ofstream(path("k.host.cpp"), std::ios::app) << "#error never\n";
    const json broken =
        jitune_json("source " + path("k.host.cpp") + " unroll=2 --keep " + path("kept"));
    EXPECT_NE(broken["folder"], kept["folder"]);
    EXPECT_FALSE(std::filesystem::exists(broken["folder"].get<std::string>() + "/kernel.so"));
    EXPECT_NE(contents(broken["folder"].get<std::string>() + "/configuration.txt")
                  .find("does not compile: "),
              std::string::npos);
}

TEST_F(CliSourceTest, NeedsNoDeviceForAnArchitecture) {
    const std::string command = "source '" JITUNE_EXAMPLES_DIR "/convolution.cu' --arch ";
    const Answer answer = jitune(command + "sm_90 'block_x=32 block_y=8'");
    if (answer.code == 4) {
        GTEST_SKIP() << answer.err;
    }
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_NE(answer.out.find("// compile: nvcc -cubin -Iinclude --gpu-architecture=sm_90 "),
              std::string::npos)
        << answer.out;
    EXPECT_NE(answer.out.find("// jitune compiles with NVRTC "), std::string::npos);
    EXPECT_NE(answer.out.find("(const void*)(convolution<"), std::string::npos);
    expect_failure(command + "sm_90,sm_80", 2, "name one architecture");
    expect_failure(command + "sm_1", 2, "unknown architecture");
    const json kept = jitune_json(command + "sm_90 --keep " + path("kept"));
    const std::string folder = kept["folder"];
    EXPECT_TRUE(contents(folder + "/kernel.cubin")
                    .starts_with("\x7f"
                                 "ELF"));
}

TEST_F(CliSourceTest, RefusesWhatIsNotThere) {
    expect_failure("source " + kMatmul + "columns=3", 2,
                   "parameter columns cannot be \"3\"; its values are 16, 64, 256");
    expect_failure("source " + kMatmul + "--arch sm_90", 2, "the template is for the host");
    expect_failure("source " + kMatmul + "--arch host --device host", 2, "--device");
    expect_failure("source none.cu", 2, "No such file");
}

}  // namespace
}  // namespace jitune::internal
