// SPDX-License-Identifier: Apache-2.0
#include "fixtures/cli_fixture.hpp"

namespace jitune::internal {
namespace {

class CliCheckTest : public CliFixture {};

const std::string kHost = "check '" JITUNE_EXAMPLES_DIR "/matmul.host.cpp' ";
const std::string kCuda = "check '" JITUNE_EXAMPLES_DIR "/axpby.cu' ";

TEST_F(CliCheckTest, ChecksATemplateForTheHost) {
    const json found = jitune_json(kHost + "--sample 2");
    EXPECT_EQ(found["findings"], json::array());
    ASSERT_EQ(found["problems"].size(), 2U);  // float32 and float64
    const json& device = found["problems"][0]["devices"][0];
    EXPECT_EQ(device["device"], "host");
    EXPECT_EQ(device["configurations"].size(), 2U);
    EXPECT_TRUE(device["configurations"][0]["compiled"]);
    EXPECT_EQ(jitune_json(kHost + "--sample 1 --type element=float32")["problems"].size(), 1U);
}

TEST_F(CliCheckTest, ChecksATemplateForArchitecturesThatAreNotThere) {
    const Answer answer = jitune(kCuda + "--sample 2 --arch sm_75,sm_120 --type element=float32");
    if (answer.code == 4) {
        GTEST_SKIP() << answer.err;
    }
    EXPECT_EQ(answer.code, 0) << answer.out << answer.err;
    EXPECT_NE(
        answer.out.find("sm_75 (T4): 20 combinations, 20 legal; 2 of them compiled, 0 failed"),
        std::string::npos)
        << answer.out;
    EXPECT_NE(answer.out.find("sm_120"), std::string::npos);
    EXPECT_NE(answer.out.find("occupancy"), std::string::npos);
    EXPECT_TRUE(answer.out.ends_with("0 errors, 0 warnings\n")) << answer.out;
}

TEST_F(CliCheckTest, NeedsNoTemporaryFolderForCuda) {
    std::ofstream(path("k.cu")) << R"(/* jitune template
kernel = "k"
backend = "cuda"
sizes = ["n"]
[parameters]
block = { values = [32, 64], default = 32 }
[arguments]
out = { access = "out", type = "int32", count = "n" }
[[launch]]
entry = "k"
arguments = ["out"]
block = "block"
[reference]
default = true
*/
__global__ void k(int* out) { out[0] = 1; }
)";
    const Answer answer =
        shell("TMPDIR=/proc; export TMPDIR; exec \"$jitune\" check --arch sm_90 " + path("k.cu"));
    if (answer.code == 4 && answer.err.find("temporary folder") == std::string::npos) {
        GTEST_SKIP() << answer.err;
    }
    EXPECT_EQ(answer.code, 0) << answer.out << answer.err;
}

TEST_F(CliCheckTest, FailsForMistakesAlsoInTheHostReference) {
    std::ofstream(path("k.host.cpp")) << R"(/* jitune template
kernel = "k"
backend = "host"
sizes = ["n"]
defines = ["unroll"]
[parameters]
unroll = { values = [1, 2], default = 1 }
[arguments]
out = { access = "out", type = "int32", count = "n" }
[[launch]]
entry = "k"
arguments = ["out"]
[reference]
host = "plain"
arguments = ["out"]
*/
#ifdef JITUNE_HOST
void plain(int* out) { out[0] = nothing; }
#endif
void k(int* out) {
    out[0] = unroll
}
)";
    const Answer answer = jitune("check " + path("k.host.cpp"));
    EXPECT_EQ(answer.code, 1);
    EXPECT_NE(answer.out.find("k.host.cpp:18: error: 'nothing' was not declared"),
              std::string::npos)
        << answer.out;
    EXPECT_NE(answer.out.find("error: expected ';'"), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("2 configurations on host, as unroll=1"), std::string::npos)
        << answer.out;
    EXPECT_NE(answer.out.find("2 errors"), std::string::npos);
}

TEST_F(CliCheckTest, ComparesTheArgumentsOfHostKernelsAndReferences) {
    const auto check = [&](const std::string& kernel, const std::string& plain) {
        std::ofstream(path("k.host.cpp"))
            << R"cu(/* jitune template
kernel = "k"
backend = "host"
sizes = ["n"]
[parameters]
step = { values = [1, 2], default = 1 }
[arguments]
out = { access = "out", type = "int32", count = "n" }
n = { access = "scalar", type = "int64", value = "n" }
[[launch]]
entry = "k"
template = ["step"]
arguments = ["out", "n"]
[reference]
host = "plain"
arguments = ["out", "n"]
*/
#ifdef JITUNE_HOST
)cu"
            << "void plain(" << plain << ") {}\n#endif\ntemplate <int kStep> void k(" << kernel
            << ") {}\n";
        return jitune("check " + path("k.host.cpp"));
    };
    const Answer good = check("int*, long", "int*, long");
    EXPECT_TRUE(good.out.ends_with("0 errors, 0 warnings\n")) << good.out << good.err;
    const Answer more = check("int*, long, double", "int*, long");
    EXPECT_EQ(more.code, 1);
    EXPECT_NE(more.out.find("k.host.cpp:11: error: the launch passes 2 arguments: out (pointer), n "
                            "(int64); the kernel takes 3: 8 bytes, 8 bytes, 8 bytes;"),
              std::string::npos)
        << more.out;
    EXPECT_NE(check("", "int*, long").out.find("the kernel takes 0;"), std::string::npos);
    const Answer reference = check("int*, long", "int*");
    EXPECT_EQ(reference.code, 1);
    EXPECT_NE(reference.out.find("k.host.cpp:15: error: the launch passes 2 arguments: out "
                                 "(pointer), n (int64); the kernel takes 1: 8 bytes;"),
              std::string::npos)
        << reference.out;
    EXPECT_NE(check("int*, int", "int*, long")
                  .out.find("passes n (int64) as argument 2, of 8 bytes; the kernel takes 4"),
              std::string::npos);
}

TEST_F(CliCheckTest, ChecksAProblemInT1) {
    write_t1();
    const std::string check = "check --arch sm_90 --input " + path("t1.json");
    expect_failure("check " + path("t1.json") + " --size n=3", 2, "--size does not go with");
    const Answer answer = jitune(check);
    if (answer.code == 4) {
        GTEST_SKIP() << answer.err;
    }
    EXPECT_EQ(jitune("check --arch sm_90 " + path("t1.json")).out, answer.out);
    EXPECT_EQ(answer.code, 0) << answer.out << answer.err;
    EXPECT_TRUE(answer.out.starts_with("run t1_problem=1\nsm_90 (H100 SXM): 2 combinations"))
        << answer.out;
    EXPECT_EQ(answer.out.find("nothing depends on"), std::string::npos) << answer.out;
    EXPECT_NE(answer.err.find("t1.json: Search is not used"), std::string::npos) << answer.err;
    EXPECT_EQ(jitune_json(check)["file"], path("t1.json"));
    write_t1("float* out, int n");
    EXPECT_NE(jitune(check).out.find("the kernel takes 2"), std::string::npos);
    expect_failure("check", 2, "name either a kernel template");
    expect_failure(kCuda + "--input x.json", 2, "name either a kernel template");
    expect_failure(check + " --size n=3", 2, "--input excludes --size");
}

TEST_F(CliCheckTest, RefusesWhatItCannotCheck) {
    EXPECT_EQ(jitune("check " + path("none.cu")).code, 2);
    EXPECT_EQ(jitune(kHost + "--arch sm_90").code, 2);
    EXPECT_EQ(jitune(kHost + "--size q=4").code, 2);
    EXPECT_EQ(jitune(kHost + "--option fast").code, 2);
    const Answer answer = jitune(kCuda + "--arch sm_1");
    EXPECT_TRUE(answer.code == 4 ||
                answer.err.find("unknown architecture \"sm_1\"") != std::string::npos)
        << answer.err;
}

}  // namespace
}  // namespace jitune::internal
