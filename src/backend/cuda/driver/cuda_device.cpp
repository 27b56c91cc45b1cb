// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/cuda_device.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "backend/cuda/compile/cuda_program.hpp"
#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/driver/device_memory.hpp"
#include "backend/cuda/driver/driver_device.hpp"
#include "backend/cuda/launch/capture.hpp"
#include "backend/cuda/measure/cuda_bench.hpp"
#include "backend/cuda/measure/cuda_launch_timer.hpp"
#include "backend/device.hpp"

namespace jitune::internal {
namespace {

constexpr std::string_view kPageLock = "page-lock host memory";

class PinnedMemory final : public DeviceMemory {
public:
    PinnedMemory(const std::shared_ptr<DriverDevice>& device, std::size_t bytes)
        : memory_(device, device->driver().cuMemFreeHost, "cuMemFreeHost"), bytes_(bytes) {
        const ContextScope scope(*device);
        const CUresult result = device->driver().cuMemHostAlloc(
            memory_.out(), std::max<std::size_t>(bytes, 1), CU_MEMHOSTALLOC_PORTABLE);
        if (result == CUDA_ERROR_OUT_OF_MEMORY) {
            throw Error(ErrorKind::unavailable,
                        fmt::format("{}: cuMemHostAlloc of {} bytes: {}: free some memory, raise "
                                    "the process's limit of locked memory, or use the host",
                                    kPageLock, bytes, describe(device->driver(), result)),
                        native_code(result));
        }
        device->check(result, "cuMemHostAlloc", kPageLock);
    }

    [[nodiscard]] void* data() const override { return memory_.get(); }
    [[nodiscard]] std::size_t bytes() const override { return bytes_; }

private:
    DriverHandle<void*> memory_;
    std::size_t bytes_;
};

/// Page-locked host memory, which every device of the process may copy from and to. Throws
/// Error(unavailable) if there is no more of it and Error(device) otherwise.
std::unique_ptr<DeviceMemory> allocate_pinned_memory(const std::shared_ptr<DriverDevice>& device,
                                                     std::size_t bytes) {
    return std::make_unique<PinnedMemory>(device, bytes);
}

std::shared_ptr<StreamHandle> make_own_stream(const std::shared_ptr<DriverDevice>& device) {
    const ContextScope scope(*device, ContextScope::Primary());
    return make_stream(device);
}

}  // namespace

CudaQueue::CudaQueue(std::shared_ptr<DriverDevice> device)
    : device_(std::move(device)), stream_(make_own_stream(device_)) {}

CudaQueue::~CudaQueue() {
    if (!device_->abandoned()) {
        device_->report(device_->driver().cuStreamSynchronize(stream_->get()),
                        "cuStreamSynchronize");
    }
}

std::unique_ptr<DeviceMemory> CudaQueue::allocate(std::size_t bytes) {
    const ContextScope scope(*device_, ContextScope::Primary());
    return allocate_device_memory(device_, bytes, "allocate memory for host data");
}

std::unique_ptr<DeviceMemory> CudaQueue::allocate_staging(std::size_t bytes) {
    const ContextScope scope(*device_, ContextScope::Primary());
    return allocate_pinned_memory(device_, bytes);
}

void CudaQueue::upload(void* device, std::span<const std::byte> data) {
    const ContextScope scope(*device_, ContextScope::Primary());
    device_->check(device_->driver().cuMemcpyHtoDAsync(device_address(device), data.data(),
                                                       data.size(), stream_->get()),
                   "cuMemcpyHtoDAsync", "upload host data");
}

void CudaQueue::download(std::span<std::byte> data, const void* device) {
    const ContextScope scope(*device_, ContextScope::Primary());
    device_->check(device_->driver().cuMemcpyDtoHAsync(data.data(), device_address(device),
                                                       data.size(), stream_->get()),
                   "cuMemcpyDtoHAsync", "download results");
}

void CudaQueue::fill_zero(void* device, std::size_t bytes) {
    const ContextScope scope(*device_, ContextScope::Primary());
    device_->check(
        device_->driver().cuMemsetD8Async(device_address(device), 0, bytes, stream_->get()),
        "cuMemsetD8Async", "zero memory");
}

void CudaQueue::launch(const ReadyLaunch& launch, void* const* arrays) {
    const ContextScope scope(*device_, ContextScope::Primary());
    launch(arrays, stream_->get());
}

void CudaQueue::wait() {
    device_->check(device_->driver().cuStreamSynchronize(stream_->get()), "cuStreamSynchronize",
                   "wait for work on host data");
}

CudaDevice::CudaDevice(std::shared_ptr<DriverDevice> device, std::shared_ptr<CudaCompiler> compiler,
                       std::shared_ptr<NvmlReader> nvml, std::shared_ptr<CounterProfiler> profiler)
    : device_(std::move(device)),
      compiler_(std::move(compiler)),
      service_(std::make_shared<ServiceCode>(
          compiler_, static_cast<int>(device_->attribute("compute_capability")))),
      nvml_(std::move(nvml)),
      profiler_(std::move(profiler)) {}

std::vector<CompileOutcome> CudaDevice::compile(const TemplateSource& source,
                                                std::span<const Instance> instances,
                                                CompileCall& call) {
    return compiler_->compile(static_cast<int>(device_->attribute("compute_capability")), source,
                              instances, call);
}

std::shared_ptr<const Program> CudaDevice::load(const Binary& binary) {
    return std::make_shared<const CudaProgram>(device_, binary);
}

std::unique_ptr<Bench> CudaDevice::make_bench() {
    return std::make_unique<CudaBench>(device_, service_, nvml_, profiler_);
}

std::unique_ptr<LaunchTimer> CudaDevice::make_launch_timer() {
    return std::make_unique<CudaLaunchTimer>(device_);
}

std::unique_ptr<Queue> CudaDevice::make_queue() {
    return std::make_unique<CudaQueue>(device_);
}

std::unique_ptr<DeviceMemory> CudaDevice::allocate(std::size_t bytes) {
    return allocate_device_memory(device_, bytes, "allocate memory");
}

std::unique_ptr<DeviceMemory> CudaDevice::allocate_zeroed(std::size_t bytes) {
    constexpr std::string_view zeroing = "zero memory";
    auto memory = allocate(bytes);
    // A stream of our own: the default one may be part of someone's capture.
    const std::shared_ptr<StreamHandle> stream = make_stream(device_);
    const ContextScope scope(*device_);
    const DriverTable& driver = device_->driver();
    device_->check(driver.cuMemsetD8Async(device_address(memory->data()), 0, bytes, stream->get()),
                   "cuMemsetD8Async", zeroing);
    device_->check(driver.cuStreamSynchronize(stream->get()), "cuStreamSynchronize", zeroing);
    return memory;
}

void CudaDevice::read_back(std::span<std::byte> data, const void* device, Stream stream) {
    constexpr const char* reading = "read a result back";
    internal::refuse_capture(*device_, stream, reading);
    const ContextScope scope(*device_);
    const DriverTable& driver = device_->driver();
    device_->check(
        driver.cuMemcpyDtoHAsync(data.data(), device_address(device), data.size(), stream),
        "cuMemcpyDtoHAsync", reading);
    device_->check(driver.cuStreamSynchronize(stream), "cuStreamSynchronize", reading);
}

void CudaDevice::write(void* device, std::span<const std::byte> value, std::size_t count,
                       Stream stream) {
    constexpr const char* writing = "write a result";
    const ContextScope scope(*device_);
    const DriverTable& driver = device_->driver();
    if (value.size() == 1) {
        device_->check(
            driver.cuMemsetD8Async(device_address(device), std::to_integer<unsigned char>(value[0]),
                                   count, stream),
            "cuMemsetD8Async", writing);
        return;
    }
    // Writes each 32-bit word of the value by itself, as one column of a matrix that has a value in
    // each row.
    for (std::size_t at = 0; at < value.size(); at += sizeof(std::uint32_t)) {
        std::uint32_t word = 0;
        std::memcpy(&word, &value[at], sizeof word);
        device_->check(driver.cuMemsetD2D32Async(device_address(device) + at, value.size(), word, 1,
                                                 count, stream),
                       "cuMemsetD2D32Async", writing);
    }
}

void CudaDevice::copy(void* to, const void* from, std::size_t bytes, Stream stream) {
    const ContextScope scope(*device_);
    device_->check(device_->driver().cuMemcpyDtoDAsync(device_address(to), device_address(from),
                                                       bytes, stream),
                   "cuMemcpyDtoDAsync", "copy a result");
}

}  // namespace jitune::internal
