// SPDX-License-Identifier: Apache-2.0
// That templates of formulas compile for every architecture.

#include <set>

#include <gtest/gtest.h>

#include "families/own/kernel_file.hpp"
#include "fixtures/compile_only_device.hpp"
#include "fixtures/formula_case.hpp"
#include "formula/template_writer.hpp"
#include "tuning/record/binary_cache.hpp"

namespace jitune::internal {
namespace {

/// The default, with each value of the parameters that are `changed`, one at a time.
std::vector<Configuration> configurations(const std::vector<Parameter>& parameters,
                                          const std::set<std::string>& names) {
    std::vector<Configuration> result;
    for (const Parameter& changed : parameters) {
        for (const Value& value : changed.values) {
            std::vector<Configuration::Entry> entries;
            for (const Parameter& parameter : parameters) {
                entries.emplace_back(parameter.name,
                                     &parameter == &changed ? value : parameter.default_value());
            }
            // The whole block of 256 takes a line.
            const auto* const number = std::get_if<std::int64_t>(&value);
            const bool is_possible = changed.name != "lanes" || *number == 256;
            if (names.contains(changed.name) && is_possible) {
                result.emplace_back(std::move(entries));
            }
        }
    }
    return result;
}

class FormulaCompile : public testing::Test {
protected:
    /// Compiles the reference, and the default with other values of some parameters.
    static void expect_compiles(int architecture, const std::string& text,
                                const FormulaBinding& binding,
                                const std::set<std::string>& changed) {
        SCOPED_TRACE(fmt::format("{}: {}", architecture, text));
        const Kernel kernel = kernel_from_text(
            text, formula_template(text, binding, PlatformKind::cuda), "/dev/null");
        const KernelTemplate& source = kernel.kernel_template;
        const std::vector<std::int64_t> sizes(binding.shape == LineShape::flat ? 1 : 2, 64);
        const Problem problem = kernel_problem(source, sizes, {});
        const auto all = configurations(source.front_matter().parameters, changed);
        std::vector<Instance> instances;
        for (const Configuration& configuration : all) {
            instances.push_back(source.instance(problem, configuration));
        }
        instances.push_back(
            source.reference(problem, gpu_info(architecture), all.front())->instance);
        CompileOnlyDevice compiler(architecture);
        BinaryCache binaries;
        for (const CompileOutcome& outcome :
             binaries.compile(compiler, source.source(), source.hash(), instances)) {
            const auto* failure = std::get_if<CompileFailure>(&outcome);
            ASSERT_EQ(failure, nullptr) << failure->log;
        }
    }
};

TEST_F(FormulaCompile, CompilesForEveryArchitecture) {
    for (const int architecture : {75, 80, 86, 89, 90, 100, 120}) {
        const RandomFormula one(static_cast<unsigned>(architecture), 16);
        expect_compiles(architecture, one.text, one.binding, {"finish"});
    }
}

TEST_F(FormulaCompile, LinesCompileForEveryArchitecture) {
    FormulaBinding binding;
    binding.inputs = {{"x", FormulaInput::Kind::array, ElementType::bfloat16},
                      {"k", FormulaInput::Kind::lines, ElementType::int8}};
    binding.outputs = {{"y", ElementType::float16}, {"s", ElementType::float64}};
    for (int architecture : {75, 80, 86, 89, 90, 100, 120}) {
        binding.shape = architecture % 2 == 0 ? LineShape::rows : LineShape::segments;
        const bool is_columns = architecture == 80 || architecture == 120;
        binding.shape = is_columns ? LineShape::columns : binding.shape;
        std::set<std::string> changed{"split"};
        if (!is_columns) {
            changed.insert("lanes");
        }
        expect_compiles(architecture,
                        "t = max(x); s = sum(exp(x - t), x > k); y[i] = exp(x - t) / s + var(x)",
                        binding, changed);
    }
}

}  // namespace
}  // namespace jitune::internal
