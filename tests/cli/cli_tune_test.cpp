// SPDX-License-Identifier: Apache-2.0
#include "fixtures/cli_fixture.hpp"

namespace jitune::internal {
namespace {

#define MATMUL "tune '" JITUNE_EXAMPLES_DIR "/matmul.host.cpp' "

class CliTuneTest : public CliFixture {};

TEST_F(CliTuneTest, TunesATemplateAndKeepsTheWinner) {
    const std::string command = MATMUL
        "--size m=60 --size k=2^5 --size n=50 --type element=float32 --evaluations 2 --budget 0 ";
    const json first = jitune_json(command);
    EXPECT_EQ(first["kernel"], "matmul");
    EXPECT_EQ(first["device"], "host");
    EXPECT_EQ(first["sizes"], (json{{"m", 60}, {"n", 50}, {"k", 32}}));
    EXPECT_EQ(first["evaluated"], 2);
    EXPECT_EQ(first["failed"], 0);
    EXPECT_EQ(first["metrics"]["speed"]["unit"], "GFLOP/s");
    const double flops = 2.0 * 60 * 50 * 32;
    EXPECT_NEAR(first["metrics"]["speed"]["value"].get<double>(),
                flops / first["median_ns"].get<double>(), 1e-6);
    const Answer list = jitune("db list");
    EXPECT_NE(list.out.find("matmul"), std::string::npos) << list.out;
    const Answer second = jitune(command);
    EXPECT_EQ(second.code, 0) << second.err;
    EXPECT_NE(second.out.find("GFLOP/s"), std::string::npos) << second.out;
    EXPECT_NE(second.out.find("matmul.launch({m, n, k}, {/* 3 arguments */});"), std::string::npos)
        << second.out;
}

// The variable is for apps. A command that it led to tune in its own process would end in silence.
TEST_F(CliTuneTest, SurvivesACandidateThatCrashesThoughTheEnvironmentNamesNoWorker) {
    std::ofstream(path("crash.host.cpp")) << R"(/* jitune template
kernel = "copy"
backend = "host"
sizes = ["n"]

[parameters]
crash = { values = [0, 1], default = 0 }

[arguments]
in = { access = "in", type = "int32", count = "n" }
out = { access = "out", type = "int32", count = "n" }
n = { access = "scalar", type = "int64", value = "n" }

[[launch]]
entry = "copy"
template = ["crash"]
arguments = ["in", "out", "n"]

[reference]
entry = "copy_plain"
arguments = ["in", "out", "n"]
*/
void copy_plain(const int* in, int* out, long n) {
    for (long i = 0; i < n; ++i) {
        out[i] = in[i];
    }
}

template <int kCrash>
void copy(const int* in, int* out, long n) {
    if (kCrash == 1) {
        __builtin_trap();
    }
    copy_plain(in, out, n);
}
)";
    const Answer answer = shell(
        "JITUNE_WORKER=none exec \"$jitune\" tune \"$folder/crash.host.cpp\" "
        "--size n=100 --budget 0 --json");
    EXPECT_EQ(answer.code, 0) << answer.err;
    const json tuned = json::parse(answer.out);
    EXPECT_EQ(tuned["failed"], 1);
    EXPECT_EQ(tuned["configuration"], "crash=0");
    const Answer alone = jitune(MATMUL
                                "--size m=9 --size n=9 --size k=9 --type element=float32 "
                                "--evaluations 1 --no-isolation");
    EXPECT_NE(alone.err.find("candidates run in this process"), std::string::npos) << alone.err;
}

TEST_F(CliTuneTest, BadArgumentsAreOneLine) {
    expect_failure(MATMUL "--size m=4 --size n=4", 2, "needs --size k=");
    expect_failure(MATMUL "--size m=4 --size q=4", 2, "has no size \"q\"");
    expect_failure(MATMUL "--size m", 2, "NAME=SIZE");
    expect_failure(MATMUL "--size m=4 --size m=5", 2, "twice");
    expect_failure(MATMUL "--size m=4 --size n=4 --size k=4", 2, "float32, float64");
    expect_failure(MATMUL "--size m=4 --size n=4 --size k=4 --type element=int8", 2, "int8");
    expect_failure(MATMUL "--size m=4 --size n=4 --size k=4 --type element=float32 --strategy x", 2,
                   "unknown strategy");
    expect_failure("tune none.cu --size n=4", 2, "No such file");
    std::ofstream(path("bad.cu")) << "/* jitune template\nkernel = \"x\"\nblock = 3\n*/\n";
    expect_failure("tune \"$folder/bad.cu\" --size n=4", 2,
                   "bad.cu:3: front matter has an unknown key");
}

TEST_F(CliTuneTest, NamesAReferenceThatCrashes) {
    std::ofstream(path("half.host.cpp")) << R"(/* jitune template
kernel = "half"
backend = "host"
sizes = ["n"]
[parameters]
block = { values = [1, 2], default = 1 }
[arguments]
half = { access = "out", type = "float32", count = "n" }
[[launch]]
entry = "half"
template = ["block"]
arguments = ["half"]
[reference]
host = "half_plainly"
arguments = ["half"]
*/
template <int kBlock>
void half(float* half) { *half = 0.5f; }
#ifdef JITUNE_HOST
void half_plainly(float*) { __builtin_trap(); }
#endif
)";
    const Answer answer = jitune("tune " + path("half.host.cpp") + " --size n=1");
    EXPECT_EQ(answer.code, 1);
    const std::string step = "while running the reference of " + path("half.host.cpp");
    EXPECT_NE(answer.err.find(step + ": signal "), std::string::npos) << answer.err;
}

TEST_F(CliTuneTest, TriesTheBestOfRecordedResultsFirst) {
    const std::string command =
        MATMUL "--size m=60 --size k=32 --size n=50 --type element=float32 --strategy exhaustive ";
    std::ofstream(path("t4.json")) << R"({"results": [{"configuration": {"rows": 8, "columns": 256},
               "measurements": [{"name": "time", "value": 1}]}]})";
    const json tuned =
        jitune_json(command + "--evaluations 2 --from " + path("t4.json") + " --budget 0");
    EXPECT_EQ(tuned["evaluated"], 2);
    const json shown = jitune_json("db show");
    EXPECT_TRUE(
        std::any_of(shown["measurements"].begin(), shown["measurements"].end(),
                    [](const json& one) { return one["configuration"] == "rows=8 columns=256"; }));
    std::ofstream(path("t4.json")) << R"({"results": [{"configuration": {"rows": 3, "columns": 5},
               "measurements": [{"name": "time", "value": 1}]}]})";
    expect_failure(command + "--from " + path("t4.json"), 2, "legal here");
}

TEST_F(CliTuneTest, ExplainKnowsKernelsInFiles) {
    const std::string words = "--size m=60 --size k=32 --size n=50 --type element=float32 ";
    static_cast<void>(jitune_json(MATMUL + words + "--evaluations 1"));
    const std::string file = "db explain '" JITUNE_EXAMPLES_DIR "/matmul.host.cpp' ";
    const json explained = jitune_json(file + words);
    ASSERT_EQ(explained["rows"].size(), 1U);
    EXPECT_TRUE(explained["rows"][0]["serves"]);
    expect_failure(file + "--size m=60", 2, "needs --size n=");
    expect_failure(file, 2, "--size");
    expect_failure(file + words + "--window 3", 2, "--window goes with --kernel entropy");
    expect_failure(file + words + "--kernel reduce", 2, "FILE excludes --kernel");
}

TEST_F(CliTuneTest, TakesAFileByItsBareName) {
    const Answer answer = shell("cd '" JITUNE_EXAMPLES_DIR
                                "' && \"$jitune\" tune matmul.host.cpp "
                                "--size m=9 --size n=9 --size k=9 --type element=float32 "
                                "--evaluations 1");
    EXPECT_EQ(answer.code, 0) << answer.err;
}

TEST_F(CliTuneTest, TakesAT1ProblemInPlaceOfATemplate) {
    std::ofstream(path("t1.json")) << "{\"General\": }";
    expect_failure("tune --input " + path("t1.json"), 2, "t1.json:1:13: invalid JSON from here on");
    std::ofstream(path("t1.json")) << "{}";
    expect_failure("tune --input " + path("t1.json"), 2, "\"KernelSpecification\" is missing");
    expect_failure("tune " + path("t1.json"), 2, "\"KernelSpecification\" is missing");
    expect_failure("tune " + path("t1.json") + " --type element=int32", 2, "leave the option out");
    expect_failure("tune", 2, "name either a kernel template");
    expect_failure(MATMUL "--input x.json", 2, "name either a kernel template");
    expect_failure("tune --input x.json --size n=10", 2, "--input excludes --size");
    expect_failure("tune --input x.json --type element=int32", 2, "--input excludes --type");
}

TEST_F(CliTuneTest, SaysWhatItDoesNotUseOfAT1Problem) {
    write_t1();
    const Answer answer = jitune("tune --device host --input " + path("t1.json"));
    EXPECT_EQ(answer.code, 2);
    EXPECT_NE(answer.err.find("t1.json: Search is not used: --strategy says how to search\n"),
              std::string::npos)
        << answer.err;
}

TEST_F(CliTuneTest, SaysWhichPythonAT1ProblemNeeds) {
    write_t1();
    const std::string tune = "PATH=$folder exec \"$jitune\" tune --input $folder/t1.json";
    const Answer without = shell(tune);
    EXPECT_EQ(without.code, 4);
    EXPECT_TRUE(without.err.ends_with("install Python 3.9 or later (package python3)\n"))
        << without.err;
    const Answer damaged = shell(
        "printf '#!/bin/sh\necho no module json; exit 3' >$folder/python3\n"
        "chmod +x $folder/python3\n" +
        tune);
    EXPECT_EQ(damaged.code, 4);
    EXPECT_NE(damaged.err.find("python3 ended with exit code 3: it takes Python 3.9 or later with "
                               "its standard library; it wrote: no module json"),
              std::string::npos)
        << damaged.err;
}

TEST_F(CliTuneTest, SaysWhatCanBeDoneWithoutADevice) {
    const std::string tune = "CUDA_VISIBLE_DEVICES= \"$jitune\" tune '" JITUNE_EXAMPLES_DIR
                             "/transpose.cu' --size rows=64 --size columns=64";
    const Answer answer = shell(tune);
    EXPECT_EQ(answer.code, 4);
    EXPECT_TRUE(
        answer.err.ends_with("; jitune check finds mistakes in a template without a device\n"))
        << answer.err;
    EXPECT_EQ(answer.err.find("host memory"), std::string::npos) << answer.err;
}

TEST_F(CliTuneTest, ATemplateIsTunedOnItsOwnKindOfDevice) {
    expect_failure("tune '" JITUNE_EXAMPLES_DIR
                   "/transpose.cu' --size rows=64 --size columns=64 --device host",
                   2, "is a template for cuda");
}

}  // namespace
}  // namespace jitune::internal
