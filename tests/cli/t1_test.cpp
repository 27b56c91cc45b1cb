// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/t1.hpp"

#include "fixtures/t1_fixture.hpp"

namespace jitune::internal {
namespace {

constexpr const char* kScaleProblem = R"json({
  "General": {"BenchmarkName": "scale", "OutputFormat": "JSON"},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "BLOCK", "Type": "int", "Values": "list(range(32, 96+1, 32))", "Default": 64},
      {"Name": "ITEMS", "Type": "uint", "Values": "[1, 2, 4]"}],
    "Conditions": [{"Parameters": ["BLOCK", "ITEMS"],
                    "Expression": "BLOCK != 64 || ITEMS == 2"}]},
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "run", "KernelFile": "kernel.cu",
    "GlobalSizeType": "OpenCL", "GlobalSize": {"X": "1000 // ITEMS"}, "LocalSize": {"X": "BLOCK"},
    "Arguments": [
      {"Name": "result", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly",
       "Size": 1000},
      {"Name": "values", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly",
       "Size": 1000, "FillType": "Random"},
      {"Name": "factor", "Type": "float", "MemoryType": "Scalar", "FillValue": 2.5}]}
})json";

class T1Test : public T1Fixture {
protected:
    static Json problem() { return Json::parse(kScaleProblem); }
    static Json with(const std::string& path, const Json& value) {
        Json document = problem();
        document[Json::json_pointer(path)] = value;
        return document;
    }
    static std::string kernel_member(const char* member) {
        return std::string("/KernelSpecification/") + member;
    }
    static std::string argument(int number, const char* member) {
        return fmt::format("/KernelSpecification/Arguments/{}/{}", number, member);
    }
};

TEST_F(T1Test, BecomesATemplateWithMacros) {
    const Kernel scale = kernel(problem());
    const KernelTemplate& source = scale.kernel_template;
    const FrontMatter& front = source.front_matter();
    ASSERT_EQ(front.parameters.size(), 2U);
    EXPECT_EQ(front.parameters[0].values, (std::vector<Value>{32, 64, 96}));
    EXPECT_EQ(front.parameters[0].default_value(), Value(64));
    EXPECT_EQ(front.launches[0].arguments,
              (std::vector<std::string>{"result", "values", "factor"}));
    const Problem sizes = kernel_problem(source, {1}, {});
    const SearchSpace space = source.space(sizes, {});
    EXPECT_EQ(space.size(), 7U);
    const auto wide = Configuration::parse("BLOCK=96 ITEMS=4", front.parameters);
    const Instance instance = source.instance(sizes, wide);
    EXPECT_EQ(instance.defines, "#define BLOCK 96\n#define ITEMS 4\n");
    EXPECT_EQ(instance.expressions, std::vector<std::string>{"run"});
    const auto plan = source.launch_rule(sizes, {}, wide).plan(sizes.sizes);
    EXPECT_EQ(plan.launch.steps[0].grid.x, 3U);
    EXPECT_EQ(plan.launch.steps[0].block.x, 96U);
    const Case timed = scale.workload->timed(sizes);
    ASSERT_EQ(timed.arguments.size(), 3U);
    EXPECT_EQ(timed.arguments[0].bytes, 4000U);
    EXPECT_TRUE(timed.arguments[0].written);
    EXPECT_EQ(timed.arguments[0].pattern, nullptr);
    EXPECT_EQ(timed.arguments[1].bytes, 4000U);
    EXPECT_FALSE(timed.arguments[1].written);
    EXPECT_EQ(timed.arguments[2].value, 0x40200000U);  // 2.5f
}

TEST_F(T1Test, ReadWriteIsReadAndWritten) {
    Json document = problem();
    Json& argument = document["KernelSpecification"]["Arguments"][0];
    argument["AccessType"] = "ReadWrite";
    argument["FillType"] = "Constant";
    argument["FillValue"] = 1;
    const Kernel scale = kernel(document);
    const ArgumentSpec& spec = scale.kernel_template.front_matter().arguments[0];
    EXPECT_EQ(spec.access, Access::inout);
    EXPECT_EQ(spec.fill.kind, Fill::Kind::ones);
}

TEST_F(T1Test, ArgumentsAreFilledAsTheProblemSays) {
    const auto fill = [&](const Json& type, const Json& value) {
        Json document = with(argument(1, "FillType"), type);
        document[Json::json_pointer(argument(1, "FillValue"))] = value;
        return kernel(document).kernel_template.front_matter().arguments[1].fill;
    };
    EXPECT_FALSE(fill("Random", nullptr).has_bounds);
    EXPECT_EQ(fill("Random", 40).high.constant_value(), Scalar(std::int64_t{40}));
    EXPECT_EQ(fill("Random", 0.5).high.constant_value(), Scalar(0.5));
    EXPECT_FALSE(fill("Random", 0).has_bounds);
    EXPECT_EQ(fill("Constant", 0.0).kind, Fill::Kind::zeros);
    EXPECT_EQ(fill("Constant", 1).kind, Fill::Kind::ones);
    EXPECT_EQ(fill("Constant", -2.5).value, -2.5);
    EXPECT_EQ(fill("Constant", "1 / 4").value, 0.25);
    write("data.bin", std::string(4000, '\1'));
    Json document = with(argument(1, "FillType"), "BinaryRaw");
    document[Json::json_pointer(argument(1, "DataSource"))] = "data.bin";
    const Kernel raw = kernel(document);
    const Problem sizes = kernel_problem(raw.kernel_template, {1}, {});
    const Case timed = raw.workload->timed(sizes);
    ASSERT_EQ(timed.arguments[1].pattern->size(), 4000U);
    EXPECT_EQ(timed.arguments[1].pattern->front(), std::byte{1});
}

TEST_F(T1Test, ConstantMemoryIsFilledFromItsArgument) {
    const Kernel beside = kernel(with(argument(1, "MemType"), "Constant"));
    const FrontMatter& front = beside.kernel_template.front_matter();
    EXPECT_EQ(front.arguments[1].constant, "values");
    EXPECT_EQ(front.launches[0].arguments,
              (std::vector<std::string>{"result", "values", "factor"}));
    Json document = with(argument(1, "MemoryType"), "Symbol");
    const Kernel alone = kernel(document);
    EXPECT_EQ(alone.kernel_template.front_matter().arguments[1].constant, "values");
    EXPECT_EQ(alone.kernel_template.front_matter().launches[0].arguments,
              (std::vector<std::string>{"result", "factor"}));
    document["KernelSpecification"]["Arguments"][1].erase("AccessType");
    EXPECT_EQ(kernel(document).kernel_template.front_matter().arguments[1].access, Access::in);
    EXPECT_EQ(kernel(with(argument(1, "MemType"), "Global"))
                  .kernel_template.front_matter()
                  .arguments[1]
                  .constant,
              "");
}

TEST_F(T1Test, CompilerOptionsAreTheTemplatesOptions) {
    std::filesystem::create_directory(dir_.path() / "include");
    const Json document = with(kernel_member("CompilerOptions"),
                               {"--use_fast_math", "-O3", "-Iinclude", "-std=c++17"});
    const FrontMatter front = kernel(document).kernel_template.front_matter();
    ASSERT_EQ(front.options.size(), 2U);
    EXPECT_EQ(front.options[0].text, "--use_fast_math");
    EXPECT_EQ(front.options[1].text, "-std=c++17");
    EXPECT_NE(made(document).text.find("include_folders = [\"include\"]"), std::string::npos);
    EXPECT_EQ(made(document).notes,
              std::vector<std::string>{"CompilerOptions -O3 is not used: NVRTC always optimizes"});
    expect_refused(with(kernel_member("CompilerOptions"), {"-arch=sm_80"}),
                   "jitune chooses the architecture");
}

TEST_F(T1Test, ARefusalNamesTheFileAndTheMember) {
    expect_refused(with(kernel_member("Language"), "OpenCL"),
                   "problem.json: T1 tuning problem: Language OpenCL is not supported");
    expect_refused(with(kernel_member("KernelFile"), "none.cu"),
                   "problem.json: T1 tuning problem: cannot read");
    write("problem.json", "{");
    expect_error(ErrorKind::usage,
                 "problem.json:1:2:", [&] { read_t1(dir_.path() / "problem.json"); });
}

TEST_F(T1Test, ATextCannotLeaveItsQuotes) {
    expect_refused(with(kernel_member("KernelName"), "run\"\nevil = \"*/"),
                   "must be the qualified name");
    const FrontMatter front = kernel(with(kernel_member("CompilerOptions"), {"-D*/x\\\""}))
                                  .kernel_template.front_matter();
    EXPECT_EQ(front.options[0].text, "-D*/x\\\"");
}

}  // namespace
}  // namespace jitune::internal
