// SPDX-License-Identifier: Apache-2.0
#include "cli/t1.hpp"

#include <fstream>

#include <nlohmann/json.hpp>

#include "families/own/kernel_file.hpp"
#include "fixtures/expect_error.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

constexpr const char* kProblem = R"json({
  "General": {"BenchmarkName": "scale", "OutputFormat": "JSON"},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "BLOCK", "Type": "int", "Values": "list(range(32, 96+1, 32))",
                     "Default" : 64
},
      {"Name": "ITEMS", "Type": "uint", "Values": "[1, 2, 4]"}],
    "Conditions": [{"Parameters": ["BLOCK", "ITEMS"], "Expression": "BLOCK != 64 || ITEMS == 2"}]
}
, "KernelSpecification" : {
    "Language" : "CUDA",
                 "KernelName" : "scale",
                                "KernelFile" : "scale.cu",
                                               "GlobalSizeType" : "OpenCL",
                                                                  "GlobalSize"
        : {"X" : "1000 // ITEMS"},
          "LocalSize" : {"X" : "BLOCK"},
                        "Arguments"
        : [
            {
                "Name" : "result",
                "Type" : "float",
                "MemoryType" : "Vector",
                "AccessType" : "WriteOnly",
                "Size" : 1000
            },
            {
                "Name" : "values",
                "Type" : "float",
                "MemoryType" : "Vector",
                "AccessType" : "ReadOnly",
                "Size" : 1000,
                "FillType" : "Random"
            },
            {"Name" : "factor", "Type" : "float", "MemoryType" : "Scalar", "FillValue" : 2.5}
        ]
}
})json";

class T1Test : public testing::Test {
protected:
    T1Test() {
        std::ofstream(dir_.path() / "scale.cu") << "extern \"C\" __global__ void scale();\n";
    }

    Kernel kernel(const ParsedJson& document) const {
        const T1Template made = t1_template(document, dir_.path() / "scale.json");
        return kernel_from_text(made.name, made.text, made.folder);
    }
    void expect_refused(const std::string& path, const ParsedJson& value,
                        const std::string& why) const {
        ParsedJson document = ParsedJson::parse(kProblem);
        document[ParsedJson::json_pointer(path)] = value;
        expect_error(ErrorKind::usage, why, [&] { kernel(document); });
        expect_error(ErrorKind::usage, "scale.json", [&] { kernel(document); });
    }

    TempDir dir_;
};

TEST_F(T1Test, BecomesATemplateWithMacros) {
    const Kernel scale = kernel(ParsedJson::parse(kProblem));
    const KernelTemplate& source = scale.kernel_template;
    const FrontMatter& front = source.front_matter();
    ASSERT_EQ(front.parameters.size(), 2U);
    EXPECT_EQ(front.parameters[0].values, (std::vector<Value>{32, 64, 96}));
    EXPECT_EQ(front.parameters[0].default_value(), Value(64));
    EXPECT_EQ(front.launches[0].arguments,
              (std::vector<std::string>{"result", "values", "factor"}));
    const Problem problem = kernel_problem(source, {1}, {});
    const SearchSpace space = source.space(problem, {});
    EXPECT_EQ(space.size(), 7U);
    const auto wide = Configuration::parse("BLOCK=96 ITEMS=4", front.parameters);
    const Instance instance = source.instance(problem, wide);
    EXPECT_EQ(instance.defines, "#define BLOCK 96\n#define ITEMS 4\n");
    EXPECT_EQ(instance.expressions, std::vector<std::string>{"scale"});
    const auto plan = source.launch_rule(problem, {}, wide).plan(problem.sizes);
    EXPECT_EQ(plan.launch.steps[0].grid.x, 3U);
    EXPECT_EQ(plan.launch.steps[0].block.x, 96U);
    const Case timed = scale.workload->timed(problem);
    ASSERT_EQ(timed.arguments.size(), 3U);
    EXPECT_EQ(timed.arguments[0].bytes, 4000U);
    EXPECT_TRUE(timed.arguments[0].written);
    EXPECT_EQ(timed.arguments[0].pattern, nullptr);
    EXPECT_EQ(timed.arguments[1].bytes, 4000U);
    EXPECT_FALSE(timed.arguments[1].written);
    EXPECT_EQ(timed.arguments[2].value, 0x40200000U);  // 2.5f
}

TEST_F(T1Test, ReadWriteIsReadAndWritten) {
    ParsedJson document = ParsedJson::parse(kProblem);
    ParsedJson& argument = document["KernelSpecification"]["Arguments"][0];
    argument["AccessType"] = "ReadWrite";
    argument["FillType"] = "Constant";
    argument["FillValue"] = 1;
    const Kernel scale = kernel(document);
    const ArgumentSpec& spec = scale.kernel_template.front_matter().arguments[0];
    EXPECT_EQ(spec.access, Access::inout);
    EXPECT_EQ(spec.fill.kind, Fill::Kind::ones);
}

TEST_F(T1Test, RefusesWhatItHasNoWordsFor) {
    const std::string kernel = "/KernelSpecification/";
    expect_refused(kernel + "Language", "OpenCL", "jitune takes CUDA");
    expect_refused(kernel + "KernelFile", "none.cu", "No such file");
    expect_refused(kernel + "Arguments/0/AccessType", "None", "ReadOnly, WriteOnly or ReadWrite");
    expect_refused(kernel + "Arguments/1/Type", "float4", "no type \"float4\"");
    expect_refused(kernel + "Arguments/1/FillType", "Script", "FillType Script");
    const std::string space = "/ConfigurationSpace/";
    expect_refused(space + "TuningParameters/0/Values", "[\"a\"]",
                   "jitune takes one integer or more");
    expect_refused(space + "TuningParameters/0/Values", "range(1, 2, 0)",
                   "jitune takes one integer or more");
    expect_refused(space + "Conditions/0/Expression", "1 < BLOCK < 4", "1 < BLOCK < 4");
    expect_refused(space + "Conditions/0/Expression", "BLOCK ** 2 > 4", "no powers");
    ParsedJson empty = ParsedJson::object();
    expect_error(ErrorKind::usage,
                 "scale.json: T1 tuning problem: \"KernelSpecification\" is missing",
                 [&] { t1_template(empty, dir_.path() / "scale.json"); });
}

TEST_F(T1Test, RefusesAParameterWithoutValues) {
    for (const ParsedJson values : {"range(0)", "range(5, 5)", "list(range(7, 3))", "[]", ""}) {
        for (const bool with_default : {false, true}) {
            ParsedJson document = ParsedJson::parse(kProblem);
            ParsedJson& parameter = document["ConfigurationSpace"]["TuningParameters"][0];
            parameter["Values"] = values;
            if (!with_default) {
                parameter.erase("Default");
            }
            expect_error(ErrorKind::usage, "jitune takes one integer or more",
                         [&] { kernel(document); });
        }
    }
}

TEST_F(T1Test, RefusesNumbersThatOverflow) {
    const std::string values = "/ConfigurationSpace/TuningParameters/0/Values";
    const std::string largest = "9223372036854775807";
    expect_refused(values, "[" + largest + "+1]", "jitune takes one integer or more");
    expect_refused(values, "range(0, " + largest + "0)", "jitune takes one integer or more");
    ParsedJson document = ParsedJson::parse(kProblem);
    ParsedJson& parameter = document["ConfigurationSpace"]["TuningParameters"][0];
    parameter["Values"] = "range(9223372036854775806, " + largest + ", 5)";
    parameter.erase("Default");
    EXPECT_EQ(kernel(document).kernel_template.front_matter().parameters[0].values,
              std::vector<Value>{std::int64_t{9223372036854775806}});
}

TEST_F(T1Test, TranslatesOperators) {
    EXPECT_EQ(t1_expression("a&&!b"), "a AND  NOT b");
    EXPECT_EQ(t1_expression("a//2 != b or c"), "a / 2  <>  b or c");
}

}  // namespace
}  // namespace jitune::internal
