// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "fixtures/cli_fixture.hpp"

namespace jitune::internal {
namespace {

/// The commands of the windowed entropy on the host.
class CliEntropyTest : public CliFixture {
protected:
    void write(const std::string& name, const std::string& shape, const std::string& data) const {
        std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + ", }";
        header.resize(118, ' ');
        std::ofstream file(path(name), std::ios::binary);
        file.write("\x93NUMPY\x01\0\x76\0", 10) << header << data;
    }
};

TEST_F(CliEntropyTest, WritesTheEntropiesInTheArraysShape) {
    write("in.npy", "(2, 3)", std::string("\0\1\1\0\1\1", 6));
    const json answer = jitune_json(
        "entropy \"$folder/in.npy\" --window 3 --levels 2 --base 2 --device host --tune default "
        "--output \"$folder/out.npy\"");
    EXPECT_EQ(answer["rows"], 2);
    EXPECT_EQ(answer["columns"], 3);
    EXPECT_EQ(answer["origin"], "default");
    const std::string file = contents(path("out.npy"));
    EXPECT_NE(file.find("'shape': (2, 3)"), std::string::npos);
    std::vector<float> entropies(6);
    std::memcpy(entropies.data(), file.data() + file.size() - 24, 24);
    const double third = std::log2(3.0) - 2.0 / 3;  // one to two
    const double expected[] = {1, third, 0, 1, third, 0};
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_NEAR(entropies[i], expected[i], 1e-6) << i;
    }
}

TEST_F(CliEntropyTest, RefusesWhatIsNoEntropyInOneLine) {
    write("line.npy", "(6,)", "123456");
    write("in.npy", "(2, 3)", "123456");
    expect_failure("entropy \"$folder/line.npy\"", 2, "has 1 dimension in C order: must have two");
    expect_failure("entropy \"$folder/in.npy\" --window 4", 2, "odd, from 3 to 15");
    expect_failure("entropy \"$folder/in.npy\" --levels many", 2, "whole number");
    expect_failure("entropy \"$folder/in.npy\" --base 1", 2, "positive and not 1");
    expect_failure("sweep entropy --types float64", 2, "uint8, int32 or float32");
    expect_failure("sweep entropy --levels 257", 2, "from 2 to 256");
}

TEST_F(CliEntropyTest, APlacedCallWithoutACompilerSaysSoByItsExitCode) {
    write("in.npy", "(2, 3)", "123456");
    for (const char* policy : {"now", "default"}) {
        const Answer answer = shell(
            fmt::format("export CUDA_VISIBLE_DEVICES= JITUNE_CXX= CXX= PATH=\"$folder\"\n"
                        "exec \"$jitune\" entropy \"$folder/in.npy\" --device machine --tune {}",
                        policy));
        EXPECT_EQ(answer.code, 4) << policy << "\n" << answer.err;
        EXPECT_EQ(answer.out, "");
        const std::string last = answer.err.substr(answer.err.rfind("jitune: "));
        EXPECT_TRUE(last.starts_with("jitune: host backend: no C++ compiler found")) << answer.err;
        EXPECT_NE(last.find("install g++"), std::string::npos) << answer.err;
    }
}

TEST_F(CliEntropyTest, SweepsInAWorkerAndKeepsTheWinner) {
    const json swept = jitune_json(
        "sweep entropy --device host --types uint8 --window 3 --levels 4 --sizes 100x50 "
        "--budget 1 --evaluations 2");
    ASSERT_EQ(swept["rows"].size(), 1U);
    EXPECT_EQ(swept["rows"][0]["outcome"], "tuned") << swept;
    EXPECT_EQ(swept["rows"][0]["window"], 3);
    EXPECT_EQ(swept["kernel"], "entropy");
    EXPECT_NE(jitune("db list").out.find("entropy"), std::string::npos);
    EXPECT_TRUE(
        jitune_json("db explain --kernel entropy --device host -n 100x50 --type uint8 "
                    "--window 3 --levels 4")["rows"][0]["serves"]);
}

TEST_F(CliEntropyTest, PlacementsAreSweptAheadAndReductionsHaveNone) {
    const json swept = jitune_json(
        "sweep entropy --sizes 40x40 --device machine --budget 1 --db \"$folder/swept.db\"");
    ASSERT_EQ(swept["rows"].size(), 1U) << swept;
    EXPECT_EQ(swept["rows"][0]["outcome"], "tuned") << swept;
    const json explained = jitune_json(
        "db explain --kernel entropy -n 40x40 --device machine --db \"$folder/swept.db\"");
    EXPECT_EQ(explained["rows"][0]["configuration"], swept["rows"][0]["configuration"]);
    for (const char* command : {"sweep reduce", "db explain -n 100"}) {
        expect_failure(std::string(command) + " --device machine", 2, "no placements");
    }
}

}  // namespace
}  // namespace jitune::internal
