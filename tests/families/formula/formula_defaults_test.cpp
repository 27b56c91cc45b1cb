// SPDX-License-Identifier: Apache-2.0
// That a first call of a formula finds its default without a search space.

#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "fixtures/compile_only_device.hpp"
#include "formula/template_writer.hpp"
#include "template/kernel_template.hpp"

namespace jitune::internal {
namespace {

struct FormulaWithDefaults {
    const char* text;
    LineShape shape;
    ElementType element;
    std::vector<FormulaOutput> outputs;
};

std::vector<Sizes> sizes_with_defaults(LineShape shape) {
    constexpr std::int64_t kSizes[] = {1,    2,    3,    5,      8,       33,      64,     100,
                                       1000, 4096, 9001, 65'536, 100'003, 1 << 20, 1 << 24};
    std::vector<Sizes> result;
    for (const std::int64_t first : kSizes) {
        for (const std::int64_t second : kSizes) {
            if (shape == LineShape::flat) {
                result.push_back({first + second});
            } else if (first * second < (std::int64_t{1} << 32)) {
                result.push_back({first, second});
            }
        }
    }
    return result;
}

TEST(FormulaDefaults, ARuleGivesTheDefaultOfEachProblem) {
    const FormulaWithDefaults formulas[] = {
        {"r = sum(x * x)", LineShape::flat, ElementType::float64, {{"r", ElementType::float64}}},
        {"y[i] = 2 * x", LineShape::flat, ElementType::bfloat16, {{"y", ElementType::bfloat16}}},
        {"r = max(x); s = sum(x)",
         LineShape::rows,
         ElementType::int8,
         {{"r", ElementType::int8}, {"s", ElementType::int32}}},
        {"y[i] = x / sum(x)", LineShape::rows, ElementType::float32, {{"y", ElementType::float32}}},
        {"r = sum(x)", LineShape::columns, ElementType::float32, {{"r", ElementType::float32}}},
    };
    for (const FormulaWithDefaults& formula : formulas) {
        FormulaBinding binding;
        binding.inputs = {{"x", FormulaInput::Kind::array, formula.element}};
        binding.outputs = formula.outputs;
        binding.shape = formula.shape;
        const KernelTemplate kernel(
            {"formula.cu", formula_template(formula.text, binding, PlatformKind::cuda), {}});
        std::set<const DefaultRule*> used;
        for (const int architecture : {75, 86, 90}) {
            for (const Sizes& sizes : sizes_with_defaults(formula.shape)) {
                Problem problem;
                problem.kernel = kernel.front_matter().kernel;
                problem.sizes = sizes;
                for (const auto& [parameter, names] : kernel.front_matter().types) {
                    problem.types[parameter] = names.begin()->first;
                }
                const auto standard = kernel.default_of(problem, gpu_info(architecture));
                used.insert(standard.rule);
                EXPECT_NE(standard.rule, nullptr)
                    << formula.text << " " << fmt::format("{}", fmt::join(sizes, "x")) << " on sm_"
                    << architecture << ": " << standard.configuration.text();
            }
        }
        for (const DefaultRule& rule : kernel.front_matter().default_rules) {
            EXPECT_TRUE(used.contains(&rule)) << formula.text << ": line " << rule.line;
        }
    }
}

}  // namespace
}  // namespace jitune::internal
