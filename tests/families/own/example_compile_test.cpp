// SPDX-License-Identifier: Apache-2.0
// That the example kernels for GPUs compile for every architecture, one configuration of each value
// of each parameter.

#include "backend/cuda/nvrtc_compiler.hpp"
#include "families/own/kernel_file.hpp"
#include "fixtures/expect_error.hpp"
#include "tuning/binary_cache.hpp"

namespace jitune::internal {
namespace {

/// A device that only compiles.
class Compiler final : public Device {
public:
    explicit Compiler(int architecture) : architecture_(architecture) {
        info_.device_class = std::to_string(architecture);
    }
    [[nodiscard]] const DeviceInfo& info() const override { return info_; }
    std::string compiler() override { return "NVRTC"; }
    std::vector<CompileOutcome> compile(const TemplateSource& source,
                                        std::span<const Instance> instances) override {
        static const auto nvrtc = load_nvrtc();
        return compile_instances(*nvrtc, source, instances, architecture_);
    }
    std::shared_ptr<const Program> load(const Binary&) override { return nullptr; }
    std::unique_ptr<Bench> make_bench() override { return nullptr; }
    std::unique_ptr<Queue> make_queue() override { return nullptr; }
    std::unique_ptr<DeviceMemory> allocate(std::size_t) override { return nullptr; }
    std::unique_ptr<DeviceMemory> allocate_zeroed(std::size_t) override { return nullptr; }
    void read_back(std::span<std::byte>, const void*, Stream) override {}
    void write(void*, std::span<const std::byte>, std::size_t, Stream) override {}
    void copy(void*, const void*, std::size_t, Stream) override {}

private:
    int architecture_;
    DeviceInfo info_;
};

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
        Compiler compiler(architecture);
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
