// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/measure/cuda_bench.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/driver/device_memory.hpp"
#include "backend/cuda/launch/capture.hpp"
#include "backend/cuda/launch/launch_failure.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

constexpr std::size_t kSmallestBuffer = std::size_t{64} << 20U;
constexpr std::size_t kWordBytes = 16;

/// Several times the cache, so that nothing of a kernel's data stays in it.
std::size_t buffer_bytes(const DriverDevice& device) {
    const auto l2_bytes = static_cast<std::size_t>(device.attribute("l2_bytes"));
    return std::max(4 * l2_bytes, kSmallestBuffer);
}

constexpr std::string_view kPreparing = "prepare to time a kernel";
constexpr std::string_view kTiming = "time a kernel";
constexpr double kNanosecondsPerMillisecond = 1e6;

const CudaProgram& cuda_program(const Program& program) {
    const auto* cuda = dynamic_cast<const CudaProgram*>(&program);
    if (cuda == nullptr) {
        throw Error(ErrorKind::usage,
                    "cannot run the program on a CUDA device: another kind of device loaded it");
    }
    return *cuda;
}

}  // namespace

CacheFlush::CacheFlush(const std::shared_ptr<DriverDevice>& device, ServiceCode& code,
                       Stream stream)
    : buffer_(allocate_device_memory(device, buffer_bytes(*device),
                                     "allocate the buffer that flushes the L2 cache")),
      sink_(allocate_device_memory(device, sizeof(std::uint32_t), "allocate the flush's sink")),
      kernel_(device, code, "read_flush") {
    const ContextScope scope(*device);
    device->check(device->driver().cuMemsetD8Async(device_address(buffer_->data()), 0,
                                                   buffer_->bytes(), stream),
                  "cuMemsetD8Async", "fill the buffer that flushes the L2 cache");
}

CUresult CacheFlush::enqueue(Stream stream) const {
    return kernel_.enqueue({device_address(buffer_->data()), buffer_->bytes() / kWordBytes, 0,
                            device_address(sink_->data())},
                           stream);
}

GraphTimer::GraphTimer(std::shared_ptr<DriverDevice> device, std::shared_ptr<StreamHandle> stream,
                       const CudaProgram& program, std::span<const Launch> chain,
                       std::size_t untimed, std::shared_ptr<const CacheFlush> flush)
    : device_(std::move(device)),
      stream_(std::move(stream)),
      flush_(std::move(flush)),
      launches_(chain.size() - untimed),
      graph_(device_, device_->driver().cuGraphDestroy, "cuGraphDestroy"),
      replay_(device_, device_->driver().cuGraphExecDestroy, "cuGraphExecDestroy"),
      begin_(device_, device_->driver().cuEventDestroy, "cuEventDestroy"),
      end_(device_, device_->driver().cuEventDestroy, "cuEventDestroy") {
    require_timed(chain, untimed);
    const ContextScope scope(*device_);
    make_events();
    // A kernel that cannot be captured is a candidate's fault: sample() returns it as a verdict.
    flaw_ = capture(program, chain.first(untimed), chain.subspan(untimed));
    if (!flaw_) {
        flaw_ = instantiate();
    }
}

void GraphTimer::make_events() {
    const DriverTable& driver = device_->driver();
    device_->check(driver.cuEventCreate(begin_.out(), CU_EVENT_DEFAULT), "cuEventCreate",
                   kPreparing);
    device_->check(driver.cuEventCreate(end_.out(), CU_EVENT_DEFAULT), "cuEventCreate", kPreparing);
}

// The events are nodes of the graph: between a launch and events on the stream lie some
// microseconds of the graph's own start.
std::optional<LaunchFailure> GraphTimer::capture(const CudaProgram& program,
                                                 std::span<const Launch> untimed,
                                                 std::span<const Launch> timed) {
    StreamCapture capture(*device_, stream_->get(), kPreparing);
    // The first failure is the reason: it ends the capture, so that all further calls fail as well.
    std::optional<LaunchFailure> failure;
    const auto launch = [&](const Launch& one) {
        if (!failure) {
            failure = failed(program.try_launch(one, stream_->get()), "cuLaunchKernelEx");
        }
    };
    const auto record = [&](const DriverHandle<CUevent>& event) {
        if (!failure) {
            failure = failed(device_->driver().cuEventRecordWithFlags(event.get(), stream_->get(),
                                                                      CU_EVENT_RECORD_EXTERNAL),
                             "cuEventRecordWithFlags");
        }
    };
    std::for_each(untimed.begin(), untimed.end(), launch);
    record(begin_);
    std::for_each(timed.begin(), timed.end(), launch);
    record(end_);
    return failure ? failure : failed(capture.end(graph_.out()), "cuStreamEndCapture");
}

std::optional<LaunchFailure> GraphTimer::instantiate() {
    const DriverTable& driver = device_->driver();
    auto failure = failed(driver.cuGraphInstantiateWithFlags(replay_.out(), graph_.get(), 0),
                          "cuGraphInstantiate");
    if (!failure) {
        failure = failed(driver.cuGraphUpload(replay_.get(), stream_->get()), "cuGraphUpload");
    }
    return failure;
}

std::optional<LaunchFailure> GraphTimer::failed(CUresult result, const char* call) const {
    if (result == CUDA_SUCCESS) {
        return std::nullopt;
    }
    return launch_failure(device_->driver(), result, call, kTiming);
}

std::optional<LaunchFailure> GraphTimer::enqueue() {
    std::optional<LaunchFailure> failure;
    if (flush_) {
        failure = failed(flush_->enqueue(stream_->get()), "cuLaunchKernelEx (cache flush)");
    }
    if (!failure) {
        failure =
            failed(device_->driver().cuGraphLaunch(replay_.get(), stream_->get()), "cuGraphLaunch");
    }
    return failure;
}

std::variant<double, LaunchFailure> GraphTimer::sample(std::chrono::milliseconds limit) {
    if (flaw_) {
        return *flaw_;
    }
    const ContextScope scope(*device_);
    if (auto failure = enqueue()) {
        return *failure;
    }
    if (auto failure = wait_until_idle(*device_, stream_->get(), limit)) {
        return *failure;
    }
    float milliseconds = 0;
    const CUresult result =
        device_->driver().cuEventElapsedTime(&milliseconds, begin_.get(), end_.get());
    if (auto failure = failed(result, "cuEventElapsedTime")) {
        return *failure;
    }
    if (!std::isfinite(milliseconds) || milliseconds <= 0) {
        return LaunchFailure{.timed_out = false,
                             .fatal = false,
                             .reason = fmt::format("{}: cuEventElapsedTime: invalid time of {} ms",
                                                   kTiming, milliseconds)};
    }
    return static_cast<double>(milliseconds) * kNanosecondsPerMillisecond /
           static_cast<double>(launches_);
}

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
    // Else the error of an earlier launch would be taken for one of this kernel.
    const CUresult before = driver.cuStreamQuery(stream_->get());
    if (before != CUDA_SUCCESS && before != CUDA_ERROR_NOT_READY) {
        return launch_failure(driver, before, "cuStreamQuery",
                              "run a kernel: the context had failed before its launch");
    }
    // The wait comes also after a failed launch: the steps before it may be running.
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
