// SPDX-License-Identifier: Apache-2.0
// That templates of formulas compile for every architecture.

#include <array>

#include <gtest/gtest.h>

#include "families/formula/own_operations.hpp"
#include "families/own/kernel_file.hpp"
#include "fixtures/compile_only_device.hpp"
#include "fixtures/custom_operations.hpp"
#include "fixtures/formula_case.hpp"
#include "formula/template_writer.hpp"
#include "tuning/record/binary_cache.hpp"

namespace jitune::internal {
namespace {

/// The default with each way to finish a grid.
std::vector<Configuration> configurations(const std::vector<Parameter>& parameters) {
    std::vector<Configuration> result;
    for (const Parameter& changed : parameters) {
        for (const Value& value : changed.values) {
            std::vector<Configuration::Entry> entries;
            for (const Parameter& parameter : parameters) {
                entries.emplace_back(parameter.name,
                                     &parameter == &changed ? value : parameter.default_value());
            }
            if (changed.name == "finish") {
                result.emplace_back(std::move(entries));
            }
        }
    }
    return result;
}

void expect_compiles(int architecture, const std::string& text, const FormulaBinding& binding) {
    SCOPED_TRACE(fmt::format("{}: {}", architecture, text));
    const Kernel kernel =
        kernel_from_text(text, formula_template(text, binding, PlatformKind::cuda), "/dev/null");
    const KernelTemplate& source = kernel.kernel_template;
    const Problem problem = kernel_problem(source, {64}, {});
    std::vector<Instance> instances;
    for (const Configuration& configuration : configurations(source.front_matter().parameters)) {
        instances.push_back(source.instance(problem, configuration));
    }
    instances.push_back(source
                            .reference(problem, gpu_info(architecture),
                                       configurations(source.front_matter().parameters).front())
                            ->instance);
    CompileOnlyDevice compiler(architecture);
    BinaryCache binaries;
    for (const CompileOutcome& outcome :
         binaries.compile(compiler, source.source(), source.hash(), instances)) {
        const auto* failure = std::get_if<CompileFailure>(&outcome);
        ASSERT_EQ(failure, nullptr) << failure->log;
    }
}

constexpr std::array kArchitectures{75, 80, 86, 89, 90, 100, 120};

TEST(FormulaCompile, CompilesForEveryArchitecture) {
    for (const int architecture : kArchitectures) {
        const RandomFormula one(static_cast<unsigned>(architecture), 16);
        expect_compiles(architecture, one.text, one.binding);
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
                        binding);
        binding.outputs.front().type = ElementType::int32;
        expect_compiles(
            architecture,
            "r = int(top) + tiny(c * int(x)) + tiny(c) + tiny(-c) + tiny(2 * c) + tiny(3 * c)",
            binding);
    }
}

}  // namespace
}  // namespace jitune::internal
