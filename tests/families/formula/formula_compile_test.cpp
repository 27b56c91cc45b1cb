// SPDX-License-Identifier: Apache-2.0
// That templates of formulas compile for every architecture.

#include <set>

#include <gtest/gtest.h>

#include "families/own/kernel_file.hpp"
#include "fixtures/compile_only_device.hpp"
#include "fixtures/formula_case.hpp"
#include "fixtures/formula_list.hpp"
#include "formula/template_writer.hpp"
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

TEST(FormulaCompile, CompilesForEveryArchitecture) {
    for (const int architecture : kArchitectures) {
        const RandomFormula one(static_cast<unsigned>(architecture), 16);
        SCOPED_TRACE(fmt::format("{}: {}", architecture, one.text));
        const Kernel kernel = kernel_from_text(
            one.text, formula_template(one.text, one.binding, PlatformKind::cuda), "/dev/null");
        expect_compiled(kernel, kernel_problem(kernel.kernel_template, {64}, {}),
                        configurations(kernel.kernel_template, {"finish"}), architecture);
    }
}

TEST(FormulaCompile, LinesCompileForEveryArchitecture) {
    constexpr const char* kText = "t = max(x); s = sum(exp(x - t), x > k); y[i] = exp(x - t) / s";
    FormulaBinding binding;
    binding.inputs = {{"x", FormulaInput::Kind::array, ElementType::bfloat16},
                      {"k", FormulaInput::Kind::lines, ElementType::int8}};
    binding.outputs = {{"y", ElementType::float16}, {"s", ElementType::float32}};
    constexpr LineShape kShapes[]{LineShape::rows, LineShape::columns, LineShape::segments};
    for (const int architecture : kArchitectures) {
        binding.shape = kShapes[architecture / 10 % 3];
        SCOPED_TRACE(fmt::format("{}, shape {}", architecture, static_cast<int>(binding.shape)));
        const Kernel kernel = kernel_from_text(
            kText, formula_template(kText, binding, PlatformKind::cuda), "/dev/null");
        std::set<std::string> changed{"split"};
        if (binding.shape != LineShape::columns) {
            changed.insert("lanes");
        }
        expect_compiled(kernel, kernel_problem(kernel.kernel_template, {64, 64}, {}),
                        configurations(kernel.kernel_template, changed), architecture);
    }
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
