// SPDX-License-Identifier: Apache-2.0
// That the example kernels for GPUs compile for every architecture, one configuration of each value
// of each parameter.

#include "families/own/kernel_file.hpp"
#include "fixtures/compile_only_device.hpp"
#include "fixtures/expect_error.hpp"
#include "tuning/record/binary_cache.hpp"

namespace jitune::internal {
namespace {

/// The default with one parameter at another value at a time.
std::vector<Configuration> configurations(const std::vector<Parameter>& parameters) {
    std::vector<Configuration> result;
    for (const Parameter& changed : parameters) {
        for (const Value& value : changed.values) {
            std::vector<Configuration::Entry> entries;
            for (const Parameter& parameter : parameters) {
                entries.emplace_back(parameter.name,
                                     &parameter == &changed ? value : parameter.default_value());
            }
            result.emplace_back(std::move(entries));
        }
    }
    return result;
}

class ExampleCompile : public testing::TestWithParam<const char*> {};

TEST_P(ExampleCompile, CompilesForEveryArchitecture) {
    const Kernel kernel = kernel_from_file(std::filesystem::path(JITUNE_EXAMPLES_DIR) / GetParam());
    const KernelTemplate& source = kernel.kernel_template;
    const FrontMatter& front = source.front_matter();
    Problem problem{front.kernel, {}, std::vector<std::int64_t>(front.sizes.size(), 64)};
    for (const auto& [name, texts] : front.types) {
        problem.types[name] = "float32";
    }
    std::vector<Instance> instances;
    for (const Configuration& configuration : configurations(front.parameters)) {
        instances.push_back(source.instance(problem, configuration));
    }
    if (const auto reference =
            source.reference(problem, {}, configurations(front.parameters).front())) {
        instances.push_back(reference->instance);
    }
    for (const int architecture : {75, 80, 86, 89, 90, 100, 120}) {
        CompileOnlyDevice compiler(architecture);
        BinaryCache binaries;
        for (const CompileOutcome& outcome :
             binaries.compile(compiler, source.source(), source.hash(), instances)) {
            const auto* failure = std::get_if<CompileFailure>(&outcome);
            ASSERT_EQ(failure, nullptr) << architecture << ": " << failure->log;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Files, ExampleCompile,
                         testing::Values("matmul.cu", "convolution.cu", "transpose.cu",
                                         "axpby.cu"));

}  // namespace
}  // namespace jitune::internal
