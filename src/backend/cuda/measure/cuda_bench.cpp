// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/measure/cuda_bench.hpp"

#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/driver/device_memory.hpp"
#include "backend/cuda/launch/launch_failure.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

const CudaProgram& cuda_program(const Program& program) {
    const auto* cuda = dynamic_cast<const CudaProgram*>(&program);
    if (cuda == nullptr) {
        throw Error(ErrorKind::usage,
                    "cannot run the program on a CUDA device: another kind of device loaded it");
    }
    return *cuda;
}

}  // namespace

std::shared_ptr<StreamHandle> make_stream(const std::shared_ptr<DriverDevice>& device) {
    const ContextScope scope(*device);
    const DriverTable& driver = device->driver();
    auto stream = std::make_shared<StreamHandle>(device, driver.cuStreamDestroy, "cuStreamDestroy");
    device->check(driver.cuStreamCreate(stream->out(), CU_STREAM_NON_BLOCKING), "cuStreamCreate",
                  "make a stream");
    return stream;
}

CudaBench::CudaBench(std::shared_ptr<DriverDevice> device, std::shared_ptr<ServiceCode> service,
                     std::shared_ptr<NvmlReader> nvml, std::shared_ptr<CounterProfiler> profiler)
    : device_(std::move(device)),
      service_(std::move(service)),
      nvml_(std::move(nvml)),
      profiler_(std::move(profiler)),
      stream_(make_stream(device_)) {}

void CudaBench::synchronize(const char* tried) {
    device_->check(device_->driver().cuStreamSynchronize(stream_->get()), "cuStreamSynchronize",
                   tried);
}

std::unique_ptr<DeviceMemory> CudaBench::allocate(std::size_t bytes) {
    return allocate_device_memory(device_, bytes, "allocate memory for a candidate");
}

void CudaBench::upload(void* device, std::span<const std::byte> data) {
    const ContextScope scope(*device_);
    device_->check(device_->driver().cuMemcpyHtoDAsync(device_address(device), data.data(),
                                                       data.size(), stream_->get()),
                   "cuMemcpyHtoDAsync", "upload data");
    synchronize("upload data");
}

void CudaBench::download(std::span<std::byte> data, const void* device) {
    const ContextScope scope(*device_);
    device_->check(device_->driver().cuMemcpyDtoHAsync(data.data(), device_address(device),
                                                       data.size(), stream_->get()),
                   "cuMemcpyDtoHAsync", "download data");
    synchronize("download data");
}

void CudaBench::fill(void* device, std::byte value, std::size_t bytes) {
    const ContextScope scope(*device_);
    device_->check(
        device_->driver().cuMemsetD8Async(device_address(device), static_cast<unsigned char>(value),
                                          bytes, stream_->get()),
        "cuMemsetD8Async", "fill memory");
}

void CudaBench::copy(void* to, const void* from, std::size_t bytes) {
    const ContextScope scope(*device_);
    device_->check(device_->driver().cuMemcpyDtoDAsync(device_address(to), device_address(from),
                                                       bytes, stream_->get()),
                   "cuMemcpyDtoDAsync", "copy memory");
}

bool CudaBench::equal(const void* one, const void* other, std::size_t bytes) {
    if (!comparison_) {
        comparison_ = std::make_unique<const MemoryComparison>(device_, *service_);
    }
    const ContextScope scope(*device_);
    return comparison_->equal(one, other, bytes, stream_->get());
}

std::vector<std::uint64_t> CudaBench::checksums(std::span<const MemoryRegion> regions) {
    if (!checksum_) {
        checksum_ = std::make_unique<MemoryChecksum>(device_, *service_);
    }
    const ContextScope scope(*device_);
    return checksum_->sums(regions, stream_->get());
}

std::optional<LaunchFailure> CudaBench::run(const Program& program, const Launch& launch,
                                            std::chrono::milliseconds limit) {
    const CudaProgram& cuda = cuda_program(program);
    const ContextScope scope(*device_);
    const DriverTable& driver = device_->driver();
    const CUresult before = driver.cuStreamQuery(stream_->get());
    if (before != CUDA_SUCCESS && before != CUDA_ERROR_NOT_READY) {
        return launch_failure(driver, before, "cuStreamQuery",
                              "run a kernel: the context had failed before its launch");
    }
    const CUresult launched = cuda.try_launch(launch, stream_->get());
    auto failure = wait_until_idle(*device_, stream_->get(), limit);
    if (!failure && launched != CUDA_SUCCESS) {
        failure = launch_failure(driver, launched, "cuLaunchKernelEx", "run a kernel");
    }
    return failure;
}

std::unique_ptr<Timer> CudaBench::timer(const Program& program, std::span<const Launch> chain,
                                        std::size_t untimed, bool flush_cache) {
    if (flush_cache && !flush_) {
        flush_ = std::make_shared<const CacheFlush>(device_, *service_, stream_->get());
    }
    return std::make_unique<GraphTimer>(device_, stream_, cuda_program(program), chain, untimed,
                                        flush_cache ? flush_ : nullptr);
}

CounterOutcome CudaBench::counters(const Program& program, const Launch& launch) {
    constexpr const char* tried = "read hardware counters of a launch";
    const CudaProgram& cuda = cuda_program(program);
    const ContextScope scope(*device_);
    synchronize(tried);  // so that CUPTI counts no earlier work of the stream
    CUcontext context = nullptr;
    device_->check(device_->driver().cuCtxGetCurrent(&context), "cuCtxGetCurrent", tried);
    return profiler_->read(context, device_->handle(), launch.step_count, [&] {
        device_->check(cuda.try_launch(launch, stream_->get()), "cuLaunchKernelEx", tried);
        synchronize(tried);
    });
}

}  // namespace jitune::internal
