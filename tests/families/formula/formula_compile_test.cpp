// SPDX-License-Identifier: Apache-2.0
// That templates of formulas compile for every architecture.

#include <set>

#include <gtest/gtest.h>

#include "families/formula/own_operations.hpp"
#include "families/own/kernel_file.hpp"
#include "fixtures/compile_only_device.hpp"
#include "fixtures/custom_operations.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/formula_case.hpp"
#include "fixtures/formula_list.hpp"
#include "formula/template_writer.hpp"
#include "jitune/error.hpp"
#include "tuning/record/binary_cache.hpp"

namespace jitune::internal {
namespace {

/// The default, with each value of the parameters that are `changed`, one at a time.
std::vector<Configuration> configurations(const KernelTemplate& source,
                                          const std::set<std::string>& changed) {
    const std::vector<Parameter>& parameters = source.front_matter().parameters;
    std::vector<Configuration> result;
    for (const Parameter& one : parameters) {
        for (const Value& value : one.values) {
            std::vector<Configuration::Entry> entries;
            for (const Parameter& parameter : parameters) {
                entries.emplace_back(parameter.name,
                                     &parameter == &one ? value : parameter.default_value());
            }
            // The whole block of 256 takes a line.
            if (changed.contains(one.name) &&
                (one.name != "lanes" || std::get<std::int64_t>(value) == 256)) {
                result.emplace_back(std::move(entries));
            }
        }
    }
    return result;
}

/// Compiles the configurations and the reference.
void expect_compiled(const Kernel& kernel, const Problem& problem,
                     const std::vector<Configuration>& configurations, int architecture) {
    const KernelTemplate& source = kernel.kernel_template;
    std::vector<Instance> instances;
    for (const Configuration& configuration : configurations) {
        instances.push_back(source.instance(problem, configuration));
    }
    instances.push_back(
        source.reference(problem, gpu_info(architecture), configurations.front())->instance);
    CompileOnlyDevice compiler(architecture);
    BinaryCache binaries;
    for (const CompileOutcome& outcome :
         binaries.compile(compiler, source.source(), source.hash(), instances)) {
        const auto* failure = std::get_if<CompileFailure>(&outcome);
        ASSERT_EQ(failure, nullptr) << failure->log;
    }
}

constexpr int kArchitectures[]{75, 80, 86, 89, 90, 100, 120};

/// The reference, and the default with other values of some parameters; each size is 64.
void expect_compiles(int architecture, const std::string& text, const FormulaBinding& binding,
                     const std::set<std::string>& changed) {
    SCOPED_TRACE(fmt::format("{}: {}", architecture, text));
    const Kernel kernel =
        kernel_from_text(text, formula_template(text, binding, PlatformKind::cuda), "/dev/null");
    const std::vector<std::int64_t> sizes(binding.shape == LineShape::flat ? 1 : 2, 64);
    expect_compiled(kernel, kernel_problem(kernel.kernel_template, sizes, {}),
                    configurations(kernel.kernel_template, changed), architecture);
}

TEST(FormulaCompile, CompilesForEveryArchitecture) {
    for (const int architecture : kArchitectures) {
        const RandomFormula one(static_cast<unsigned>(architecture), 16);
        expect_compiles(architecture, one.text, one.binding, {"finish"});
    }
}

CustomOperation renamed(CustomOperation operation, const char* name, const char* state) {
    operation.name = name;
    operation.state = state;
    return operation;
}

/// States of every size and alignment that may stand beside one another.
TEST(FormulaCompile, CompilesOperationsOfOnesOwn) {
    CustomOperation tiny = renamed(wrapping_sum(), "tiny", "signed char");
    tiny.combine = "a + b";
    CustomOperation wide = renamed(tiny, "wide", "float4");
    wide.identity = "float4{}";
    wide.map = "float4{x, 1.0f}";
    wide.combine = "float4{a.x + b.x, a.y + b.y}";
    wide.finish = "a.x / a.y";
    wide.result = ElementType::float16;
    const OwnOperations operations({renamed(log_sum_exp("expf", "logf"), "log_sum", "Pair"),
                                    indexed_xor(), wrapping_sum(), tiny, wide});
    FormulaBinding binding{{{"x", FormulaInput::Kind::array, ElementType::float32},
                            {"c", FormulaInput::Kind::array, ElementType::int8},
                            {"top", FormulaInput::Kind::in_memory, ElementType::float32}},
                           {{"r", ElementType::float32}},
                           operations.all()};
    for (const int architecture : kArchitectures) {
        binding.outputs.front().type = ElementType::float32;
        expect_compiles(architecture,
                        "b = indexed_xor(c); w = wide(x); t = tiny(c); s = log_sum(x); r = "
                        "log_sum(x * t + w - s, c > 0) + wrapping_sum(c) + max(top, max(x)) + b",
                        binding, {"finish"});
        binding.outputs.front().type = ElementType::int32;
        expect_compiles(
            architecture,
            "r = int(top) + tiny(c * int(x)) + tiny(c) + tiny(-c) + tiny(2 * c) + tiny(3 * c)",
            binding, {"finish"});
    }
}

TEST(FormulaCompile, LinesCompileForEveryArchitecture) {
    FormulaBinding binding;
    binding.inputs = {{"x", FormulaInput::Kind::array, ElementType::bfloat16},
                      {"k", FormulaInput::Kind::lines, ElementType::int8}};
    binding.outputs = {{"y", ElementType::float16}, {"s", ElementType::float32}};
    constexpr LineShape kShapes[]{LineShape::rows, LineShape::columns, LineShape::segments};
    for (const int architecture : kArchitectures) {
        binding.shape = kShapes[architecture / 10 % 3];
        std::set<std::string> changed{"split"};
        if (binding.shape != LineShape::columns) {
            changed.insert("lanes");
        }
        expect_compiles(architecture,
                        "t = max(x); s = sum(exp(x - t), x > k); y[i] = exp(x - t) / s", binding,
                        changed);
    }
}

/// Shared memory has room for the states of all stages together.
TEST(FormulaCompile, LargeStatesOfColumnsCompileByDefault) {
    FormulaBinding binding;
    binding.inputs = {{"x", FormulaInput::Kind::array, ElementType::float64}};
    binding.outputs = {{"r", ElementType::float64}};
    binding.shape = LineShape::columns;
    constexpr int kArchitecture = 90;
    const char* const text =
        "a = var(x) + var(x + 1) + var(x + 2) + var(x + 3) + var(x + 4); "
        "r = var(x * a) + var(x + a) + var(x - a) + var(a - x) + var(x + 2 * a)";
    const Kernel kernel = kernel_from_text(
        "spreads", formula_template(text, binding, PlatformKind::cuda), "/dev/null");
    const Problem problem = kernel_problem(kernel.kernel_template, {64, 64}, {});
    expect_compiled(
        kernel, problem,
        {kernel.kernel_template.default_configuration(problem, gpu_info(kArchitecture))},
        kArchitecture);
}

/// The most that a call may have, and its results are kept, too.
TEST(FormulaCompile, TemplatesHaveRoomForAllArguments) {
    FormulaBinding binding;
    std::string text = "m = mean(x0); s = sum(0";
    for (int i = 0; i < 56; ++i) {
        binding.inputs.push_back({fmt::format("x{}", i)});
        text += fmt::format(" + x{}", i);
    }
    text += " - m)";
    binding.outputs = {{"s"}};
    for (const PlatformKind platform : {PlatformKind::cuda, PlatformKind::host}) {
        for (const LineShape shape :
             {LineShape::flat, LineShape::rows, LineShape::columns, LineShape::segments}) {
            binding.shape = shape;
            EXPECT_NO_THROW(
                kernel_from_text("many", formula_template(text, binding, platform), "/dev/null"));
        }
    }
    binding.outputs.push_back({"t"});
    expect_error(ErrorKind::usage,
                 "58 inputs and outputs, and 1 more for later passes: 58 is the most",
                 [&] { formula_template(text + "; t = max(x1)", binding, PlatformKind::cuda); });
}

TEST(FormulaCompile, CompilesWhatIsEmulated) {
    std::size_t index = 0;
    for (const ListedFormula& one : formula_list()) {
        const int architecture = kArchitectures[index++ % std::size(kArchitectures)];
        SCOPED_TRACE(fmt::format("{}: {}", architecture, one.text));
        const Kernel kernel = kernel_from_text(one.name, one.kernel().source().text, "/dev/null");
        const KernelTemplate& source = kernel.kernel_template;
        expect_compiled(kernel, kernel_problem(source, one.sizes.back(), {}),
                        {drawn_configurations(one, source, gpu_info(architecture)).front()},
                        architecture);
    }
}

}  // namespace
}  // namespace jitune::internal
