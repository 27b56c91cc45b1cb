// SPDX-License-Identifier: Apache-2.0
// Problems with the features of those that the community publishes and of Kernel Tuner's tests.
#include <algorithm>

#include "fixtures/t1_fixture.hpp"

namespace jitune::internal {
namespace {

class T1Problems : public T1Fixture {
protected:
    static bool has_note(const T1Template& problem, const std::string& part) {
        return std::ranges::any_of(problem.notes, [&](const std::string& note) {
            return note.find(part) != std::string::npos;
        });
    }
};

// A stencil: ProblemSize of two dimensions, lists of divisors, sizes of max(parameter).
constexpr const char* kBlur = R"json({
  "General": {"BenchmarkName": "blur", "OutputFormat": "JSON"},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "block_size_x", "Type": "int", "Values": "[16, 32, 48, 64]", "Default": 32},
      {"Name": "block_size_y", "Type": "int", "Values": "[1, 2, 4, 8, 16]", "Default": 4},
      {"Name": "tile_size_x", "Type": "int", "Values": "[1, 2, 3]", "Default": 1},
      {"Name": "padding", "Type": "int", "Values": "[0, 1]", "Default": 0},
      {"Name": "radius", "Type": "int", "Values": "[7]", "Default": 7}],
    "Conditions": [
      {"Expression": "padding==0 or block_size_x % 32 != 0", "Parameters": ["padding"]},
      {"Expression": "block_size_x*block_size_y<=512"},
      {"Expression": "(block_size_x*tile_size_x+(radius-1))*(block_size_y) < 1*1024"}]},
  "KernelSpecification": {
    "Language": "CUDA", "CompilerOptions": ["-std=c++17"], "BenchmarkName": "blur",
    "KernelName": "run", "KernelFile": "kernel.cu", "GlobalSizeType": "CUDA",
    "LocalSize": {"X": "block_size_x", "Y": "block_size_y", "Z": "1"},
    "GlobalSize": {"X": "(999 // block_size_x) // tile_size_x", "Y": "7", "Z": "1"},
    "GridDivX": ["block_size_x", "tile_size_x"], "GridDivY": ["block_size_y"],
    "ProblemSize": [1000, 600], "SharedMemory": 0, "Stream": null,
    "Arguments": [
      {"Name": "out", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly",
       "FillType": "Constant", "Size": "ProblemSize[0]*ProblemSize[1]", "FillValue": 0.0,
       "Output": 1},
      {"Name": "in", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly",
       "FillType": "Random", "FillValue": 1.0,
       "Size": "(ProblemSize[0]+max(radius)-1) * (ProblemSize[1]+max(radius)-1)"},
      {"Name": "weights", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly",
       "MemType": "Constant", "FillType": "Random", "Size": "max(radius) * max(radius)"}]}
})json";

TEST_F(T1Problems, AStencilHasTheGridOfItsDivisors) {
    const Json document = Json::parse(kBlur);
    const Kernel blur = kernel(document);
    std::size_t legal = 0;
    for (const int x : {16, 32, 48, 64}) {
        for (const int y : {1, 2, 4, 8, 16}) {
            for (const int tile : {1, 2, 3}) {
                for (const int padding : {0, 1}) {
                    legal +=
                        (padding == 0 || x % 32 != 0) && x * y <= 512 && (x * tile + 6) * y < 1024;
                }
            }
        }
    }
    EXPECT_EQ(size_of_space(blur), legal);
    EXPECT_EQ(launch(blur, "block_size_x=48 block_size_y=4 tile_size_x=3 padding=1 radius=7"),
              "grid 7 150 1, block 48 4 1, 0 bytes");
    const FrontMatter& front = blur.kernel_template.front_matter();
    EXPECT_EQ(front.arguments[0].amount.text(), "600000");
    EXPECT_EQ(front.arguments[1].amount.text(), std::to_string(1006 * 606));
    EXPECT_EQ(front.arguments[1].fill.high.constant_value(), Scalar(std::int64_t{1}));
    EXPECT_EQ(front.arguments[2].amount.text(), "49");
    EXPECT_EQ(front.arguments[2].constant, "weights");
    EXPECT_EQ(front.launches[0].arguments, (std::vector<std::string>{"out", "in", "weights"}));
    ASSERT_EQ(front.options.size(), 1U);
    EXPECT_EQ(front.options[0].text, "-std=c++17");
    EXPECT_EQ(made(document).notes.size(), 1U) << "GlobalSize";
    EXPECT_TRUE(has_note(made(document), "GlobalSize is not used: ProblemSize"));
}

// Three dimensions, chained comparisons, a parameter of one value that nothing uses.
constexpr const char* kSignals = R"json({
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "block_size_x", "Type": "int", "Values": "[1, 2, 4, 8, 16, 32]", "Default": 16},
      {"Name": "block_size_y", "Type": "int", "Values": "[32, 40, 48, 56, 64, 128]"},
      {"Name": "block_size_z", "Type": "int", "Values": "[2]", "Default": 2},
      {"Name": "tile_size_x", "Type": "int", "Values": "[1, 2, 3, 4]", "Default": 1},
      {"Name": "stride_x", "Type": "int", "Values": "[0, 1]", "Default": 1},
      {"Name": "loop_unroll_factor_channel", "Type": "int", "Values": "[0]", "Default": 0}],
    "Conditions": [
      {"Expression": "32 <= block_size_x * block_size_y <= 1024",
       "Parameters": ["block_size_x", "block_size_y"]},
      {"Expression": "tile_size_x > 1 or stride_x == 0", "Parameters": ["tile_size_x"]}]},
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "run", "KernelFile": "kernel.cu",
    "GridDivX": ["block_size_x", "tile_size_x"], "GridDivY": ["block_size_y * 1"],
    "GridDivZ": [], "ProblemSize": [25000, "2048", 5],
    "Arguments": [
      {"Name": "samples", "Type": "int8", "MemoryType": "Vector", "AccessType": "ReadOnly",
       "FillType": "Random", "Size": "1"},
      {"Name": "sums", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly",
       "Size": "ProblemSize[0]*ProblemSize[1]"}]}
})json";

TEST_F(T1Problems, ThreeDimensionsAndChainsAreRead) {
    const Kernel signals = kernel(Json::parse(kSignals));
    std::size_t legal = 0;
    for (const int x : {1, 2, 4, 8, 16, 32}) {
        for (const int y : {32, 40, 48, 56, 64, 128}) {
            legal += 32 <= x * y && x * y <= 1024 ? 4 + 3 : 0;
        }
    }
    EXPECT_EQ(size_of_space(signals), legal);
    EXPECT_EQ(launch(signals,
                     "block_size_x=8 block_size_y=40 block_size_z=2 tile_size_x=2 "
                     "stride_x=1 loop_unroll_factor_channel=0"),
              "grid 1563 52 3, block 8 40 2, 0 bytes");
    EXPECT_TRUE(made(Json::parse(kSignals)).notes.empty());
}

// Quotients in remainders, "not", a default in a list, limits beside the problem.
constexpr const char* kProduct = R"json({
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "VARIANT", "Type": "int", "Values": "[0]", "Default": [0]},
      {"Name": "MWG", "Type": "int", "Values": "[16, 32, 64, 128]", "Default": 64},
      {"Name": "KWG", "Type": "int", "Values": "[16, 32]", "Default": 32},
      {"Name": "MDIMC", "Type": "int", "Values": "[8, 16, 32]", "Default": 8},
      {"Name": "NDIMC", "Type": "int", "Values": "[8, 16, 32]", "Default": 8},
      {"Name": "MDIMA", "Type": "int", "Values": "[8, 16, 32, 24]", "Default": 8},
      {"Name": "VWM", "Type": "int", "Values": "[1, 2, 4, 8]", "Default": 2}],
    "Conditions": [
      {"Expression": "MWG % (MDIMC * VWM) == 0"},
      {"Expression": "KWG % ((MDIMC * NDIMC)/MDIMA) == 0"},
      {"Expression": "not (MWG == 128 and MDIMC == 8 and NDIMC == 8)"}]},
  "BenchmarkConfig": {"dataSize": 512, "MAX_THREADS": 1024},
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "run", "KernelFile": "kernel.cu",
    "LocalSize": {"X": "MDIMC", "Y": "NDIMC"}, "GridDivX": ["MWG"], "GridDivY": ["16"],
    "ProblemSize": [512, 512], "SharedMemory": "KWG * MWG * 4",
    "Arguments": [
      {"Name": "a", "Type": "float4", "TypeSize": 16, "MemoryType": "Vector",
       "AccessType": "ReadOnly", "Size": "512*512 / 4"},
      {"Name": "c", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadWrite",
       "FillType": "Constant", "FillValue": 2.5, "Size": 262144},
      {"Name": "size", "Type": "int32", "MemoryType": "Scalar", "FillValue": 512}]}
})json";

TEST_F(T1Problems, QuotientsInRemaindersAreExactFractions) {
    const Kernel product = kernel(Json::parse(kProduct));
    std::size_t legal = 0;
    for (const int m : {16, 32, 64, 128}) {
        for (const int k : {16, 32}) {
            for (const int mc : {8, 16, 32}) {
                for (const int nc : {8, 16, 32}) {
                    for (const int ma : {8, 16, 32, 24}) {
                        for (const int v : {1, 2, 4, 8}) {
                            legal += m % (mc * v) == 0 && k * ma % (mc * nc) == 0 &&
                                     !(m == 128 && mc == 8 && nc == 8);
                        }
                    }
                }
            }
        }
    }
    EXPECT_EQ(size_of_space(product), legal);
    EXPECT_EQ(launch(product, "VARIANT=0 MWG=64 KWG=32 MDIMC=8 NDIMC=16 MDIMA=8 VWM=2"),
              "grid 8 32 1, block 8 16 1, 8192 bytes");
    const FrontMatter& front = product.kernel_template.front_matter();
    EXPECT_EQ(front.arguments[0].type, "float32");
    EXPECT_EQ(front.arguments[0].amount.text(), "262144");
    EXPECT_EQ(front.arguments[0].alignment, 16);
    EXPECT_EQ(front.arguments[1].fill.value, 2.5);
    EXPECT_EQ(front.arguments[2].access, Access::value);
    EXPECT_TRUE(has_note(made(Json::parse(kProduct)), "BenchmarkConfig is not used"));
}

// Lists joined with ranges, comprehensions, scalars, a default that is not a value.
constexpr const char* kHeat = R"json({
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "block_size_x", "Type": "int",
       "Values": "[1, 2, 4, 8, 16] + list(range(32, 256+1, 32))", "Default": 256},
      {"Name": "block_size_y", "Type": "int", "Values": "[2**i for i in range(0, 6)]",
       "Default": 1},
      {"Name": "steps", "Type": "int", "Values": "[i for i in range(1, 10+1)]", "Default": 1},
      {"Name": "max_steps", "Type": "int", "Values": "[10]", "Default": 1},
      {"Name": "unroll", "Type": "int", "Values": "[1 + 2 * i for i in range(3)]", "Default": 3}],
    "Conditions": [
      {"Expression": "block_size_x*block_size_y>= 32"},
      {"Expression": "steps % unroll == 0"},
      {"Expression": "block_size_x*block_size_y <= 1024"},
      {"Expression": "(block_size_x+ steps * 2) * (block_size_y+ steps * 2) * 4 <= 4096"}]},
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "run", "KernelFile": "kernel.cu",
    "GlobalSizeType": "OpenCL", "LocalSize": {"X": "block_size_x", "Y": "block_size_y"},
    "GlobalSize": {"X": "4096", "Y": "4096"}, "GridDivX": ["block_size_x"],
    "GridDivY": ["block_size_y"], "ProblemSize": [4096, 4096], "Misc": {"jitify": true},
    "Arguments": [
      {"Name": "now", "Type": "float", "Size": 16777216, "MemoryType": "Vector",
       "AccessType": "ReadOnly", "FillType": "Random", "FillValue": 324.0, "RandomSeed": 1},
      {"Name": "next", "Type": "float", "Size": 16777216, "MemoryType": "Vector",
       "AccessType": "ReadWrite", "FillType": "Constant", "FillValue": 0.0, "Output": 1},
      {"Name": "factor", "Type": "float", "MemoryType": "Scalar", "AccessType": "ReadOnly",
       "FillValue": 3.0517578579}]}
})json";

TEST_F(T1Problems, ListsRangesAndComprehensionsAreRead) {
    const Json document = Json::parse(kHeat);
    const Kernel heat = kernel(document);
    std::vector<int> widths{1, 2, 4, 8, 16};
    for (int width = 32; width <= 256; width += 32) {
        widths.push_back(width);
    }
    std::size_t legal = 0;
    for (const int x : widths) {
        for (const int y : {1, 2, 4, 8, 16, 32}) {
            for (int steps = 1; steps <= 10; ++steps) {
                for (const int unroll : {1, 3, 5}) {
                    legal += x * y >= 32 && steps % unroll == 0 && x * y <= 1024 &&
                             (x + steps * 2) * (y + steps * 2) * 4 <= 4096;
                }
            }
        }
    }
    EXPECT_EQ(size_of_space(heat), legal);
    EXPECT_EQ(launch(heat, "block_size_x=96 block_size_y=4 steps=1 max_steps=10 unroll=1"),
              "grid 43 1024 1, block 96 4 1, 0 bytes");
    const FrontMatter& front = heat.kernel_template.front_matter();
    EXPECT_EQ(front.parameters[3].default_value(), Value(std::int64_t{10}));
    EXPECT_EQ(front.parameters[4].default_value(), Value(std::int64_t{3}));
    EXPECT_EQ(front.arguments[0].fill.high.constant_value(), Scalar(std::int64_t{324}));
    EXPECT_EQ(front.arguments[1].fill.kind, Fill::Kind::zeros);
    const T1Template problem = made(document);
    EXPECT_TRUE(has_note(problem, "max_steps: Default 1 is not among its values"));
    EXPECT_TRUE(has_note(problem, "KernelSpecification.Misc is not used"));
    EXPECT_TRUE(has_note(problem, "Arguments.RandomSeed is not used"));
}

// Points of a plane: vectors of a CUDA type. Without arguments no result could be checked.
TEST_F(T1Problems, AProblemWithoutArgumentsIsRefused) {
    Json points = Json::parse(R"json({
      "ConfigurationSpace": {
        "TuningParameters": [
          {"Name": "block_size_x", "Type": "int", "Values": "[32 * i for i in range(1, 32)]"},
          {"Name": "tile_size", "Type": "int", "Values": "[1] + [2 * i for i in range(1, 11)]"},
          {"Name": "method", "Type": "int", "Values": "[0, 1, 2]", "Default": 1}],
        "Conditions": []},
      "KernelSpecification": {
        "Language": "CUDA", "KernelName": "run", "KernelFile": "kernel.cu",
        "GridDivX": ["block_size_x", "tile_size"], "ProblemSize": [20000000],
        "Arguments": []}})json");
    expect_refused(points, "Arguments has none that is WriteOnly or ReadWrite");
    points["KernelSpecification"]["Arguments"] = Json::parse(R"json([
      {"Name": "inside", "Type": "int32", "MemoryType": "Vector", "AccessType": "WriteOnly",
       "Size": "ProblemSize[0]"},
      {"Name": "points", "Type": "float2", "MemoryType": "Vector", "AccessType": "ReadOnly",
       "Size": "ProblemSize[0]"}])json");
    const Kernel kernel_of_points = kernel(points);
    EXPECT_EQ(size_of_space(kernel_of_points), 31U * 11 * 3);
    EXPECT_EQ(launch(kernel_of_points, "block_size_x=992 tile_size=20 method=2"),
              "grid 1009 1 1, block 992 1 1, 0 bytes");
    EXPECT_EQ(kernel_of_points.kernel_template.front_matter().arguments[1].amount.text(),
              "40000000");
}

TEST_F(T1Problems, OtherLanguagesAndRealParametersAreRefusedByName) {
    Json document = Json::parse(kProduct);
    for (const char* language : {"OpenCL", "Vulkan", "Hypertuner"}) {
        document["KernelSpecification"]["Language"] = language;
        expect_refused(document,
                       fmt::format("Language {} is not supported: jitune takes CUDA", language));
    }
    document["KernelSpecification"]["Language"] = "CUDA";
    document["ConfigurationSpace"]["TuningParameters"].push_back(
        {{"Name", "weight"}, {"Type", "float"}, {"Values", "[0.25, 0.5]"}, {"Default", 0.5}});
    expect_refused(document,
                   "TuningParameters weight: Values has 0.25: jitune's parameters are "
                   "integers or names, not reals");
}

// As Kernel Tuner's own: a size of one number, a block size that is no parameter.
TEST_F(T1Problems, BlockSizesThatAreNoParametersHaveKernelTunersDefaults) {
    Json document = Json::parse(R"json({
      "ConfigurationSpace": {
        "TuningParameters": [{"Name": "block_size_x", "Type": "int",
                              "Values": "[128+64*i for i in range(15)]", "Default": 512}],
        "Conditions": []},
      "KernelSpecification": {
        "Language": "CUDA", "KernelName": "run", "KernelFile": "kernel.cu",
        "GridDivX": ["block_size_x"], "GridDivY": ["block_size_y"], "ProblemSize": 1000,
        "Arguments": [{"Name": "c", "Type": "float", "MemoryType": "Vector",
                       "AccessType": "WriteOnly", "Size": "ProblemSize"}]}})json");
    const Kernel add = kernel(document);
    EXPECT_EQ(size_of_space(add), 15U);
    EXPECT_EQ(launch(add, "block_size_x=192"), "grid 6 1 1, block 192 1 1, 0 bytes");
    EXPECT_TRUE(has_note(made(document), "block_size_y is no parameter: it is 1"));
    Json& parameter = document["ConfigurationSpace"]["TuningParameters"][0];
    parameter["Name"] = "items";
    document["KernelSpecification"].erase("GridDivX");
    document["KernelSpecification"]["GridDivY"] = "items";
    EXPECT_EQ(launch(kernel(document), "items=192"), "grid 1000 1 1, block 256 1 1, 0 bytes");
    EXPECT_TRUE(has_note(made(document), "block_size_x is no parameter: it is 256"));
}

// As KTT's own: sizes of blocks and threads, C's operators, what the command line says.
TEST_F(T1Problems, FormulasOfSizesCountBlocksOrThreads) {
    Json document = Json::parse(R"json({
      "ConfigurationSpace": {
        "TuningParameters": [
          {"Name": "WORK", "Type": "uint", "Values": "[32, 64, 128]", "Default": 64},
          {"Name": "VECTOR", "Type": "uint", "Values": [1, 2, 4]},
          {"Name": "UNBOUNDED", "Type": "bool", "Values": "[False, True]", "Default": true}],
        "Conditions": [{"Parameters": ["WORK", "VECTOR"],
                        "Expression": "WORK != 128 || (VECTOR == 1 && !UNBOUNDED)"}]},
      "Search": {"Name": "Random"},
      "Budget": [{"Type": "ConfigurationCount", "BudgetValue": 20}],
      "KernelSpecification": {
        "Device": {"DeviceId": 0}, "Language": "CUDA", "Profiling": false,
        "KernelName": "run", "KernelFile": "kernel.cu", "GlobalSizeType": "CUDA",
        "GlobalSize": {"X": "4096 // VECTOR // WORK"}, "LocalSize": {"X": "WORK"},
        "SharedMemory": "WORK * 4 if VECTOR > 1 else 0", "Unheard": 3,
        "Arguments": [{"Type": "double", "MemoryType": "Vector", "Size": "4096"}]}})json");
    const Kernel sum = kernel(document);
    EXPECT_EQ(size_of_space(sum), 3U * 3 * 2 - 6 + 1);
    EXPECT_EQ(launch(sum, "WORK=64 VECTOR=2 UNBOUNDED=1"), "grid 32 1 1, block 64 1 1, 256 bytes");
    document["KernelSpecification"]["GlobalSizeType"] = "OpenCL";
    EXPECT_EQ(launch(kernel(document), "WORK=32 VECTOR=1 UNBOUNDED=0"),
              "grid 4 1 1, block 32 1 1, 0 bytes");
    const T1Template problem = made(document);
    for (const char* note :
         {"Search is not used: --strategy", "Budget is not used: --budget",
          "KernelSpecification.Device is not used: --device", "KernelSpecification.Profiling",
          "KernelSpecification.Unheard is not used: jitune does not know it"}) {
        EXPECT_TRUE(has_note(problem, note)) << note;
    }
    EXPECT_EQ(problem.notes.size(), 5U);
    EXPECT_EQ(sum.kernel_template.front_matter().parameters[2].default_value(),
              Value(std::int64_t{1}));
}

TEST_F(T1Problems, NamesAreMacros) {
    Json document = Json::parse(kHeat);
    document["ConfigurationSpace"]["TuningParameters"] = Json::parse(R"json([
      {"Name": "layout", "Type": "string", "Values": "['rows', 'columns']", "Default": "columns"},
      {"Name": "block_size_x", "Type": "int", "Values": "[32, 64]"},
      {"Name": "block_size_y", "Type": "int", "Values": "[1]"}])json");
    document["ConfigurationSpace"]["Conditions"] =
        Json::parse(R"(["layout == 'rows' or block_size_x in [64]"])");
    const Kernel heat = kernel(document);
    EXPECT_EQ(size_of_space(heat), 3U);
    const KernelTemplate& source = heat.kernel_template;
    const Problem problem = kernel_problem(source, {1}, {});
    const Configuration standard = source.default_configuration(problem, {});
    EXPECT_EQ(standard.text(), "layout=columns block_size_x=64 block_size_y=1");
    EXPECT_EQ(source.instance(problem, standard).defines,
              "#define layout columns\n#define block_size_x 64\n#define block_size_y 1\n");
    EXPECT_NE(made(document).text.find("\n#define kernel_tuner 1\n"), std::string::npos);
}

}  // namespace
}  // namespace jitune::internal
