// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "fixtures/cli_fixture.hpp"

namespace jitune::internal {
namespace {

/// The commands of the stencil on the host.
class CliStencilTest : public CliFixture {
protected:
    void SetUp() override {
        CliFixture::SetUp();
        std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }";
        header.resize(118, ' ');
        const float values[] = {1, 2, 4, 8, 16};
        std::ofstream file(path("in.npy"), std::ios::binary);
        file.write("\x93NUMPY\x01\0\x76\0", 10) << header;
        file.write(reinterpret_cast<const char*>(values), sizeof values);
    }

    [[nodiscard]] std::vector<float> outputs(std::size_t count) const {
        const std::string file = contents(path("out.npy"));
        std::vector<float> values(count);
        std::memcpy(values.data(), file.data() + file.size() - count * sizeof(float),
                    count * sizeof(float));
        return values;
    }
};

TEST_F(CliStencilTest, WritesTheOutputs) {
    const std::string command =
        "stencil \"$folder/in.npy\" --device host --tune default --output "
        "\"$folder/out.npy\" ";
    const json sum = jitune_json(command + "--boundary clamp");
    EXPECT_EQ(sum["outputs"], 5);
    EXPECT_EQ(sum["weighting"], "sum");
    EXPECT_EQ(sum["origin"], "rule");
    EXPECT_EQ(outputs(5), (std::vector<float>{4, 7, 14, 28, 40}));
    const json weighted = jitune_json(command + "--weights 1,0,-1 --boundary wrap");
    EXPECT_EQ(weighted["weighting"], "weights");
    EXPECT_EQ(outputs(5), (std::vector<float>{14, -3, -6, -12, 7}));
    EXPECT_EQ(jitune_json(command + "--radius 3")["outputs"], 0);
}

TEST_F(CliStencilTest, APlacedCallWritesTheSame) {
    const json placed = jitune_json(
        "stencil \"$folder/in.npy\" --device machine --tune default --weights 1,0,-1 "
        "--boundary wrap --output \"$folder/out.npy\"");
    EXPECT_EQ(placed["device"], "machine");
    EXPECT_EQ(outputs(5), (std::vector<float>{14, -3, -6, -12, 7}));
    const std::string configuration = placed["configuration"];
    EXPECT_TRUE(configuration.starts_with("processors=host")) << configuration;
    EXPECT_EQ(jitune_json("stencil \"$folder/in.npy\" --device machine --budget 20")["origin"],
              "tuned");
    EXPECT_TRUE(
        jitune_json("db explain --kernel stencil -n 5 --device machine")["rows"][0]["serves"]);
}

TEST_F(CliStencilTest, RefusesWhatIsNoStencilInOneLine) {
    expect_failure("stencil \"$folder/in.npy\" --radius 33", 2, "must be from 1 to 32");
    expect_failure("stencil \"$folder/in.npy\" --weights 1,2", 2, "radius 1 takes 3");
    expect_failure("stencil \"$folder/in.npy\" --boundary mirror", 2, "clamp or wrap");
    expect_failure("stencil \"$folder/none.npy\"", 2, "No such file");
    std::filesystem::create_symlink(path("in.npy"), path("link.npy"));
    expect_failure("stencil \"$folder/in.npy\" --output \"$folder/link.npy\"", 2,
                   "this file is the input");
    expect_failure("sweep stencil --radius 0", 2, "must be from 1 to 32");
}

TEST_F(CliStencilTest, SweepsInAWorkerAndKeepsTheWinner) {
    const json swept = jitune_json(
        "sweep stencil --device host --radius 2 --weighting weights --boundary zero --sizes 10000 "
        "--budget 1 --evaluations 2");
    ASSERT_EQ(swept["rows"].size(), 1U);
    EXPECT_EQ(swept["rows"][0]["outcome"], "tuned") << swept;
    EXPECT_EQ(swept["rows"][0]["boundary"], "zero");
    EXPECT_EQ(swept["kernel"], "stencil");
    EXPECT_NE(jitune("db list").out.find("stencil"), std::string::npos);
    const std::string explain = "db explain --kernel stencil --device host -n 10000 --radius 2 ";
    EXPECT_TRUE(jitune_json(explain + "--weighting weights --boundary zero")["rows"][0]["serves"]);
    EXPECT_FALSE(jitune_json(explain + "--weighting mean --boundary zero")["rows"][0]["serves"]);
}

}  // namespace
}  // namespace jitune::internal
