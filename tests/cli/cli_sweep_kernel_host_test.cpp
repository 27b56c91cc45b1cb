// SPDX-License-Identifier: Apache-2.0
#include "fixtures/cli_fixture.hpp"

namespace jitune::internal {
namespace {

namespace fs = std::filesystem;

const char* const kScale = R"(/* jitune template
kernel = "scale"
backend = "host"
sizes = ["n", "m"]
[types.element]
int32 = "int"
float32 = "float"
[parameters]
unroll = { values = [1, 2, 4], default = 1 }
[arguments]
in = { access = "in", type = "element", count = "n * m" }
out = { access = "out", type = "element", count = "n * m" }
count = { access = "scalar", type = "int64", value = "n * m" }
[[launch]]
entry = "scale"
template = ["element", "unroll"]
arguments = ["out", "in", "count"]
[reference]
host = "scale_plainly"
template = ["element"]
arguments = ["out", "in", "count"]
*/
template <class T, int kUnroll>
void scale(T* out, const T* in, long count) {
    for (long i = 0; i < count; i += kUnroll) {
        for (long k = i; k < i + kUnroll && k < count; ++k) out[k] = 3 * in[k];
    }
}
#ifdef JITUNE_HOST
template <class T>
void scale_plainly(T* out, const T* in, long count) {
    for (long i = 0; i < count; ++i) out[i] = 3 * in[i];
}
#endif
)";

class CliSweepKernelTest : public CliFixture {
protected:
    void SetUp() override {
        CliFixture::SetUp();
        std::ofstream(path("scale.host.cpp")) << kScale;
        file_ = "'" + path("scale.host.cpp") + "' ";
    }

    std::string file_;
};

TEST_F(CliSweepKernelTest, TunesEachCombinationOfSizesAndTypes) {
    const json swept =
        jitune_json("sweep kernel " + file_ + "--size n=10,2^7 --size m=3 --budget 0.2");
    ASSERT_EQ(swept["rows"].size(), 4U) << swept;
    const json rows = jitune_json("db list")["winners"];
    ASSERT_EQ(rows.size(), 4U);
    for (const json& row : rows) {
        EXPECT_EQ(row["key"]["kernel"], "scale");
    }
    const json again =
        jitune_json("sweep kernel " + file_ +
                    "--size n=10 --size m=3 --type element=int32 --option -DUNUSED --budget 0.2");
    EXPECT_EQ(again["rows"].size(), 1U);
    EXPECT_EQ(jitune_json("db list")["winners"].size(), 5U) << "an option is part of the key";
}

TEST_F(CliSweepKernelTest, AFileNeedsNoCommand) {
    const std::string sizes = "--size n=10 --size m=3 --type element=int32 --budget 0.2";
    EXPECT_EQ(jitune_json("sweep " + file_ + sizes)["rows"].size(), 1U);
    fs::rename(path("scale.host.cpp"), path("scale"));
    EXPECT_EQ(jitune_json("sweep \"$folder/scale\" " + sizes)["rows"].size(), 1U);
    EXPECT_EQ(jitune_json("db list")["winners"].size(), 1U);
    EXPECT_NE(jitune("sweep a.cu --help").out.find("--multiple-of"), std::string::npos);
}

TEST_F(CliSweepKernelTest, AMistypedFileIsNoMistypedCommand) {
    expect_failure("sweep redcue", 2,
                   "\"redcue\" was not expected; jitune sweep takes one of the commands reduce");
    expect_failure("sweep none.cu --size n=1", 2, "cannot read \"none.cu\": open");
    expect_failure("sweep none.host.cpp --size n=1", 2, "cannot read \"none.host.cpp\"");
    fs::create_directory(path("folder"));
    expect_failure("sweep \"$folder/folder\"", 2, "was not expected");
    expect_failure("swep none.cu", 2, "\"swep\" was not expected");
    // A command's name is that, also where there is such a file.
    const Answer answer = shell("cd \"$folder\" && >reduce && \"$jitune\" sweep reduce --help");
    EXPECT_NE(answer.out.find("--ops"), std::string::npos) << answer.out;
}

TEST_F(CliSweepKernelTest, ServesAllSizesOfARange) {
    const Answer swept =
        jitune("sweep kernel " + file_ +
               "--size n=64..128 --size m=8 --type element=int32 --budget 1 --json");
    ASSERT_EQ(swept.code, 0) << swept.err << swept.out;
    const json rows = jitune_json("db list")["winners"];
    ASSERT_FALSE(rows.empty());
    EXPECT_NE(rows.dump().find("128"), std::string::npos) << rows;
    const Answer explained =
        jitune("db explain " + file_ + "--size n=64 --size m=8 --type element=int32 --device host");
    EXPECT_EQ(explained.code, 0) << explained.err;
    EXPECT_NE(explained.out.find("unroll="), std::string::npos) << explained.out;
}

TEST_F(CliSweepKernelTest, CompilerOptionsNameTheWinnerToExplain) {
    const std::string sizes = "--size n=10 --size m=3 --type element=int32 ";
    ASSERT_EQ(jitune("sweep " + file_ + sizes + "--option -DFAST --budget 0.2").code, 0);
    const std::string explain = "db explain " + file_ + sizes + "--device host ";
    const json without = jitune_json(explain)["rows"];
    ASSERT_EQ(without.size(), 1U);
    EXPECT_NE(without[0]["reason"].get<std::string>().find("or with other compiler options"),
              std::string::npos)
        << without;
    const json with = jitune_json(explain + "--option -DFAST")["rows"];
    EXPECT_EQ(with[0]["reason"].get<std::string>().find("made from"), std::string::npos) << with;
    expect_failure("db explain -n 1000 --option -DFAST", 2, "--option goes with a FILE");
}

TEST_F(CliSweepKernelTest, ShowsTheMetricOfTheTemplateOrNone) {
    const Answer without = jitune("sweep " + file_ + "--size n=10 --size m=3 --evaluations 1");
    EXPECT_NE(without.out.find("speed-up"), std::string::npos) << without.err;
    EXPECT_EQ(without.out.find("GB/s"), std::string::npos) << without.out;
    const std::string sweep =
        "sweep '" JITUNE_EXAMPLES_DIR
        "/matmul.host.cpp' --size m=20 --size n=30 --size k=40 --type element=float32 "
        "--evaluations 1 ";
    const Answer with = jitune(sweep);
    EXPECT_NE(with.out.find("  speed, GFLOP/s  "), std::string::npos) << with.out;
    const json row = jitune_json(sweep + "--again")["rows"][0];
    EXPECT_EQ(row["metrics"]["speed"]["unit"], "GFLOP/s") << row;
    const double flops = 2.0 * 20 * 30 * 40;
    EXPECT_NEAR(row["metrics"]["speed"]["value"], flops / row["median_ns"].get<double>(), 1e-6);
}

TEST_F(CliSweepKernelTest, SaysWhatToDoWithoutAGpu) {
    const std::string sweep = "CUDA_VISIBLE_DEVICES= exec \"$jitune\" sweep '" JITUNE_EXAMPLES_DIR
                              "/transpose.cu' --size rows=64 --size columns=64 ";
    const Answer answer = shell(sweep);
    EXPECT_EQ(answer.code, 4);
    EXPECT_TRUE(is_one_line(answer.err)) << answer.err;
    EXPECT_NE(answer.err.find("; --plan DIR plans the sweep for machines that have one, and jitune "
                              "check finds mistakes"),
              std::string::npos)
        << answer.err;
    EXPECT_EQ(shell(sweep + "--plan \"$folder/p\"").code, 0);
}

TEST_F(CliSweepKernelTest, RefusesWhatDoesNotFitTheTemplate) {
    const auto refused = [&](const std::string& arguments, const std::string& words) {
        const Answer answer = jitune("sweep kernel " + file_ + arguments);
        EXPECT_EQ(answer.code, 2) << answer.out;
        EXPECT_NE(answer.err.find(words), std::string::npos) << answer.err;
    };
    refused("--size n=10", "needs --size m=");
    refused("--size n=10 --size m=3 --size k=1", "no size \"k\"");
    refused("--size n=10 --size m=20..3", "20..3");
    refused("--size n=10 --size m=3 --type element=int8", "int8");
    refused("--size n=10 --size m=3 --device cuda", "is a template for host");
    refused("--size n=10 --size m=3 --option fast", "is no option");
    refused("--size n=65..127 --size m=64 --multiple-of 64",
            "--multiple-of 64: n=65..127 holds no multiple of 64");
    refused("--size n=64..128,200 --size m=64 --multiple-of 64", "n=200 holds no multiple");
    refused("--size n=64..128 --size m=3 --multiple-of 64", "m=3 holds no multiple");
}

}  // namespace
}  // namespace jitune::internal
