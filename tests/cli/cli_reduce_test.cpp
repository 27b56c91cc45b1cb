// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fixtures/cli_fixture.hpp"

namespace jitune::internal {
namespace {

/// The command reduce on files of its own.
class CliReduceTest : public CliFixture {
protected:
    template <class T>
    void write_npy(const std::string& name, const std::string& descr,
                   const std::vector<T>& values) const {
        std::string header = fmt::format(
            "{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", descr, values.size());
        header.resize(118, ' ');
        std::ofstream file(path(name), std::ios::binary);
        file.write("\x93NUMPY\x01\0\x76\0", 10) << header;
        file.write(reinterpret_cast<const char*>(values.data()),
                   static_cast<std::streamsize>(values.size() * sizeof(T)));
    }
};

TEST_F(CliReduceTest, BadInputFilesAreOneLine) {
    std::ofstream(path("text.npy")) << "1 2 3\n";
    write_npy<double>("big.npy", ">f8", {1});
    expect_failure("reduce \"$folder/none.npy\"", 2, "No such file");
    expect_failure("reduce \"$folder\"", 2, "not a regular file");
    expect_failure("reduce \"$folder/text.npy\"", 2, "little-endian");
    expect_failure("reduce \"$folder/big.npy\"", 2, "'>f8'");
    expect_failure("reduce \"$folder/big.npy\" --op median", 2, "min");
}

TEST_F(CliReduceTest, ABadReductionIsOneLine) {
    write_npy<float>("one.npy", "<f4", {1});
    const auto refuse = [&](const std::string& options, const std::string& reason) {
        expect_failure("reduce \"$folder/one.npy\" --device host " + options, 2, reason);
    };
    refuse("--op custom", "--custom FILE.toml");
    refuse("--result int32", "float32, float64");
    refuse("--op any --result float32", "uint8");
    refuse("--determinism pinned", "--configuration");
    refuse("--determinism sometimes", "run_to_run");
    refuse("--configuration ''", "configuration");
    refuse("--configuration 'warp=9'", "warp=9");
    refuse("--configuration unroll=4 --determinism any", "excludes");
    refuse("--custom \"$folder/none.toml\"", "No such file");
    refuse("--custom \"$folder/one.npy\"", "one.npy");
    refuse("--custom \"$folder/none.toml\" --op sum", "excludes");
    refuse("--custom \"$folder/none.toml\" --result float64", "excludes");
}

TEST_F(CliReduceTest, AMissingDeviceIsItsOwnExitCode) {
    write_npy<float>("one.npy", "<f4", {1});
    expect_failure("reduce \"$folder/one.npy\" --device cuda:99", 4, "cuda");
}

TEST_F(CliReduceTest, AnEmptyArrayIsAnsweredWithoutADevice) {
    write_npy<float>("f4.npy", "<f4", {});
    write_npy<std::int64_t>("i8.npy", "<i8", {});
    const json minimum = jitune_json("reduce \"$folder/f4.npy\" --op min --device cuda:99");
    EXPECT_EQ(minimum["value"], "Infinity");
    EXPECT_EQ(minimum["n"], 0);
    EXPECT_TRUE(minimum["device"].is_null());
    EXPECT_TRUE(minimum["origin"].is_null());
    EXPECT_EQ(jitune_json("reduce \"$folder/f4.npy\"")["value"], 0.0);
    EXPECT_EQ(jitune_json("reduce \"$folder/i8.npy\" --op max")["value"],
              std::numeric_limits<std::int64_t>::min());
}

TEST_F(CliReduceTest, AnEmptyArrayHasAValueOnlyWhereItsOperationHasOne) {
    write_npy<std::int8_t>("i1.npy", "|i1", {});
    EXPECT_EQ(jitune_json("reduce \"$folder/i1.npy\" --op all")["value"], true);
    EXPECT_EQ(jitune_json("reduce \"$folder/i1.npy\" --op mean")["value"], "NaN");
    EXPECT_EQ(jitune_json("reduce \"$folder/i1.npy\" --op product --result int64")["value"], 1);
    expect_failure("reduce \"$folder/i1.npy\" --op arg_min", 2, "at least one");
    expect_failure("reduce \"$folder/i1.npy\" --custom '" JITUNE_EXAMPLES_DIR "/log_sum_exp.toml'",
                   2, "at least one");
}

TEST_F(CliReduceTest, ReducesElementTypesExactly) {
    write_npy<std::int32_t>("i4.npy", "<i4", {5, -7, 40});
    write_npy<std::int64_t>("i8.npy", "<i8", {(std::int64_t{1} << 53) + 1, 2});
    write_npy<float>("f4.npy", "<f4", {0.1F, 16777216.0F});
    write_npy<double>("f8.npy", "<f8", {0.1, -0.25});
    const auto value = [&](const std::string& rest) {
        return jitune_json("reduce --device host --tune default " + rest)["value"];
    };
    EXPECT_EQ(value("\"$folder/i4.npy\" --op min"), -7);
    EXPECT_EQ(value("\"$folder/i8.npy\" --op sum"), 9007199254740995);
    EXPECT_EQ(value("\"$folder/f4.npy\" --op min").get<float>(), 0.1F);
    EXPECT_EQ(value("\"$folder/f8.npy\" --op max"), 0.1);
    write_npy<std::uint8_t>("b1.npy", "|b1", {1, 1, 0, 1});
    EXPECT_EQ(value("\"$folder/b1.npy\" --op all"), false);
    EXPECT_EQ(value("\"$folder/b1.npy\" --op any"), true);
    EXPECT_EQ(value("\"$folder/b1.npy\" --op count_nonzero"), 3);
    EXPECT_EQ(value("\"$folder/b1.npy\" --op arg_min"), 2);
    write_npy<std::int8_t>("i1.npy", "|i1", {-128, 127, 2});
    EXPECT_EQ(value("\"$folder/i1.npy\" --op product"), -32512);
    EXPECT_EQ(value("\"$folder/i1.npy\" --op max_abs --result int64"), 128);
    write_npy<std::uint64_t>("u8.npy", "<u8", {~std::uint64_t{0}, 1});
    EXPECT_EQ(value("\"$folder/u8.npy\" --op max"), ~std::uint64_t{0});
    write_npy<std::uint16_t>("f2.npy", "<f2", {0x3c00, 0xc000});  // 1 and -2
    EXPECT_EQ(value("\"$folder/f2.npy\" --op mean"), -0.5);
    EXPECT_EQ(value("\"$folder/f2.npy\" --op sum_of_squares --result float64"), 5.0);
    write_npy<double>("nan.npy", "<f8", {1, std::numeric_limits<double>::quiet_NaN()});
    EXPECT_EQ(value("\"$folder/nan.npy\" --op max"), "NaN");
}

TEST_F(CliReduceTest, ReduceTunesOnceAndThenFindsTheWinnerStored) {
    write_npy<float>("data.npy", "<f4", std::vector<float>(5000, 0.5F));
    const std::string command = "reduce \"$folder/data.npy\" --device host --budget 60";
    const json first = jitune_json(command);
    EXPECT_EQ(first["value"], 2500.0);
    EXPECT_EQ(first["type"], "float32");
    EXPECT_EQ(first["n"], 5000);
    EXPECT_EQ(first["op"], "sum");
    EXPECT_EQ(first["name"], "sum");
    EXPECT_EQ(first["result"], "float32");
    EXPECT_EQ(first["determinism"], "run_to_run");
    EXPECT_EQ(first["device"], "host");
    EXPECT_EQ(first["origin"], "tuned");
    EXPECT_GT(first["compiles"], 0);  // by its worker
    EXPECT_GT(first["seconds"], 0);
    EXPECT_GT(first["gb_per_s"], 0);
    EXPECT_TRUE(first["reason"].is_null());
    EXPECT_EQ(first.size(), 14U);
    const json second = jitune_json(command);
    EXPECT_EQ(second["value"], 2500.0);
    EXPECT_EQ(second["origin"], "stored");
    EXPECT_EQ(second["configuration"], first["configuration"]);
    EXPECT_EQ(second["compiles"], 0);
    EXPECT_NE(jitune(command).out.find("stored"), std::string::npos);
}

TEST_F(CliReduceTest, SaysWhyNoWinnerAnswers) {
    write_npy<float>("data.npy", "<f4", std::vector<float>(5000, 0.5F));
    const std::string command = "reduce \"$folder/data.npy\" --device host --budget 0.001";
    const std::string text = jitune(command).out;
    EXPECT_NE(text.find("\norigin         rule\nreason         not tuned within 1 ms\n"),
              std::string::npos)
        << text;
    EXPECT_EQ(jitune_json(command + " --db none")["reason"], "not tuned within 1 ms");
    EXPECT_TRUE(jitune_json(command + " --tune default")["reason"].is_null());
}

TEST_F(CliReduceTest, TruthIsAWord) {
    write_npy<std::uint8_t>("b1.npy", "|b1", {1, 1});
    const Answer answer = jitune("reduce \"$folder/b1.npy\" --op all --device host --tune default");
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_TRUE(answer.out.starts_with("all            true\nof             2 uint8\n"))
        << answer.out;
}

TEST_F(CliReduceTest, APinnedConfigurationAnswersWhateverIsStored) {
    write_npy<float>("data.npy", "<f4", std::vector<float>(100, 0.5F));
    const std::string command = "reduce \"$folder/data.npy\" --device host ";
    const json first = jitune_json(command + "--tune default");
    const std::string configuration = first["configuration"];
    const json pinned = jitune_json(command + "--configuration '" + configuration + "'");
    EXPECT_EQ(pinned["origin"], "pinned");
    EXPECT_EQ(pinned["determinism"], "pinned");
    EXPECT_EQ(pinned["configuration"], configuration);
    EXPECT_EQ(pinned["value"], 50.0);
    const auto end = configuration.find(' ');
    expect_failure(command + "--configuration '" + configuration.substr(end + 1) + "'", 2,
                   "is missing");
}

TEST_F(CliReduceTest, ACustomOperationIsReadFromItsFile) {
    write_npy<double>("data.npy", "<f8", std::vector<double>(5000, 0.5));
    const json reduced = jitune_json(
        "reduce \"$folder/data.npy\" --device host --budget 60 "
        "--custom '" JITUNE_EXAMPLES_DIR "/log_sum_exp.toml'");
    EXPECT_NEAR(reduced["value"].get<double>(), 0.5 + std::log(5000), 1e-4);
    EXPECT_EQ(reduced["op"], "custom");
    EXPECT_EQ(reduced["name"], "log_sum_exp");
    EXPECT_EQ(reduced["result"], "float32");
    EXPECT_EQ(jitune_json("db list")["winners"][0]["key"]["kernel"], "reduce:log_sum_exp");
}

TEST_F(CliReduceTest, ACustomOperationThatDoesNotCompileIsToldInTheCompilersWords) {
    write_npy<float>("data.npy", "<f4", {1, 2});
    std::ofstream(path("bad.toml")) << "name = \"least\"\nstate = \"float\"\n"
                                       "identity = \"1e38f\"\nmap = \"x\"\n"
                                       "combine = \"a < b ? a : missing\"\n";
    const std::string command =
        "reduce \"$folder/data.npy\" --device host --custom \"$folder/bad.toml\"";
    expect_failure(command + " --tune default", 1, "least.combine");
    const Answer answer = jitune(command);
    EXPECT_EQ(answer.code, 1);
    EXPECT_NE(answer.err.find("missing"), std::string::npos) << answer.err;
}

}  // namespace
}  // namespace jitune::internal
