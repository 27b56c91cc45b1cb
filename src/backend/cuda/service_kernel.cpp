// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/service_kernel.hpp"

#include <algorithm>
#include <numeric>

#include "backend/cuda/nvrtc_compiler.hpp"
#include "jitune/error.hpp"
#include "support/embedded.hpp"

namespace jitune::internal {
namespace {

constexpr std::uint32_t kThreads = 512;
constexpr std::uint32_t kBlocksPerSm = 4;

}  // namespace

Binary compile_service_kernel(const NvrtcTable& nvrtc, std::string_view name,
                              int compute_capability) {
    const std::string file_name = "cuda/" + std::string(name) + ".cu";
    const auto file =
        std::find_if(embedded::cuda_kernels.begin(), embedded::cuda_kernels.end(),
                     [&](const embedded::File& one) { return one.name == file_name; });
    const TemplateSource source{file_name, std::string(file->text), {}};
    const Instance instance{{"jitune::" + std::string(name)}};
    CompileOutcome outcome =
        compile_instances(nvrtc, source, {&instance, 1}, compute_capability).front();
    if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
        throw Error(ErrorKind::compile, "compile " + file_name + ": " + failure->log);
    }
    return std::get<Binary>(std::move(outcome));
}

ServiceKernel::ServiceKernel(const std::shared_ptr<DriverDevice>& device, const NvrtcTable& nvrtc,
                             std::string_view name)
    : program_(device,
               compile_service_kernel(nvrtc, name,
                                      static_cast<int>(device->attribute("compute_capability")))) {
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
