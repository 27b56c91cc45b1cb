// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/launch/service_kernel.hpp"

#include <filesystem>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/embedded.hpp"

namespace jitune::internal {
namespace {

constexpr std::uint32_t kThreads = 512;
constexpr std::uint32_t kBlocksPerSm = 4;

}  // namespace

Binary ServiceCode::binary(std::string_view name) {
    const std::lock_guard lock(mutex_);
    if (binaries_.empty()) {
        binaries_ = compile();
    }
    return binaries_.find(name)->second;
}

ServiceCode::Binaries ServiceCode::compile() const {
    TemplateSource source{"cuda/service kernels", "", {}};
    std::vector<std::string> names;
    std::vector<Instance> instances;
    for (const embedded::File& file : embedded::cuda_kernels) {
        source.text += fmt::format("#line 1 \"{}\"\n{}", file.name, file.text);
        names.push_back(std::filesystem::path(file.name).stem());
        instances.push_back({{"jitune::" + names.back()}});
    }
    CompileCall call;
    const std::vector<CompileOutcome> outcomes =
        compiler_->compile(compute_capability_, source, instances, call);
    Binaries compiled;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (const auto* failure = std::get_if<CompileFailure>(&outcomes[i])) {
            throw Error(ErrorKind::compile, "compile " + names[i] + ": " + failure->log);
        }
        compiled[names[i]] = std::get<Binary>(outcomes[i]);
    }
    return compiled;
}

ServiceKernel::ServiceKernel(const std::shared_ptr<DriverDevice>& device, ServiceCode& code,
                             std::string_view name)
    : program_(device, code.binary(name)) {
    LaunchStep& step = launch_.steps[0];
    step.grid = {static_cast<std::uint32_t>(device->attribute("sm_count")) * kBlocksPerSm, 1, 1};
    step.block = {kThreads, 1, 1};
    std::iota(step.arguments.begin(), step.arguments.end(), std::uint8_t{0});
    launch_.step_count = 1;
}

CUresult ServiceKernel::enqueue(std::initializer_list<std::uint64_t> arguments,
                                Stream stream) const {
    Launch launch = launch_;
    launch.steps[0].argument_count = static_cast<std::uint8_t>(arguments.size());
    std::copy(arguments.begin(), arguments.end(), launch.cells.begin());
    return program_.try_launch(launch, stream);
}

}  // namespace jitune::internal
