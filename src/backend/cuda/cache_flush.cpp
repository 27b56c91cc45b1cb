#include "backend/cuda/cache_flush.hpp"

#include <algorithm>

#include "backend/cuda/nvrtc_compiler.hpp"
#include "support/embedded.hpp"

namespace jitune {
namespace {

constexpr std::size_t kSmallestBuffer = std::size_t{64} << 20U;
constexpr std::uint32_t kThreads = 512;
constexpr std::uint32_t kBlocksPerSm = 4;
constexpr std::size_t kWordBytes = 16;

std::size_t buffer_bytes(const CudaDevice& device) {
    const auto l2_bytes = static_cast<std::size_t>(device.attribute("l2_bytes"));
    return std::max(4 * l2_bytes, kSmallestBuffer);
}

Binary compile_kernel(const CudaDevice& device, const NvrtcTable& nvrtc) {
    const embedded::File& file = embedded::cuda_kernels.front();
    const TemplateSource source{std::string(file.name), std::string(file.text), {}};
    const Instance instance{{"jitune::read_flush"}};
    CompileOutcome outcome =
        compile_instances(nvrtc, source, {&instance, 1},
                          static_cast<int>(device.attribute("compute_capability")))
            .front();
    if (const auto* failure = std::get_if<CompileFailure>(&outcome)) {
        throw Error(ErrorKind::compile, "compile " + source.name + ": " + failure->log);
    }
    return std::get<Binary>(std::move(outcome));
}

}  // namespace

CacheFlush::CacheFlush(const std::shared_ptr<CudaDevice>& device, const NvrtcTable& nvrtc,
                       Stream stream)
    : buffer_(allocate_device_memory(device, buffer_bytes(*device),
                                     "allocate the buffer that flushes the L2 cache")),
      sink_(allocate_device_memory(device, sizeof(std::uint32_t), "allocate the flush's sink")),
      program_(device, compile_kernel(*device, nvrtc)) {
    const ContextScope scope(*device);
    device->check(device->driver().cuMemsetD8Async(device_address(buffer_->data()), 0,
                                                   buffer_->bytes(), stream),
                  "cuMemsetD8Async", "fill the buffer that flushes the L2 cache");
    const auto blocks = static_cast<std::uint32_t>(device->attribute("sm_count")) * kBlocksPerSm;
    launch_.steps[0] = {.entry = 0,
                        .grid = {blocks, 1, 1},
                        .block = {kThreads, 1, 1},
                        .shared_bytes = 0,
                        .cluster = 0,
                        .programmatic = 0,
                        .arguments = {0, 1, 2, 3},
                        .argument_count = 4};
    launch_.step_count = 1;
    launch_.cells = {device_address(buffer_->data()), buffer_->bytes() / kWordBytes, 0,
                     device_address(sink_->data())};
}

CUresult CacheFlush::enqueue(Stream stream) const {
    return program_.try_launch(launch_, stream);
}

}  // namespace jitune
