// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "backend/cuda/compile/cuda_program.hpp"
#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/driver/cuda_device.hpp"
#include "backend/cuda/launch/capture.hpp"
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

/// Empties the last-level cache of what other launches left there, by reading four times as much.
class CacheFlush {
public:
    /// Throws Error(unavailable) if there is no compiler or too little free
    /// memory, Error(device) otherwise. `stream` is where enqueue() will be used.
    CacheFlush(const std::shared_ptr<DriverDevice>& device, ServiceCode& code, Stream stream)
        : buffer_(allocate_device_memory(device, buffer_bytes(*device),
                                         "allocate the buffer that flushes the L2 cache")),
          sink_(allocate_device_memory(device, sizeof(std::uint32_t), "allocate the flush's sink")),
          kernel_(device, code, "read_flush") {
        const ContextScope scope(*device);
        device->call(&DriverTable::cuMemsetD8Async, "fill the buffer that flushes the L2 cache",
                     device_address(buffer_->data()), 0, buffer_->bytes(), stream);
    }

    CUresult enqueue(Stream stream) const {
        return kernel_.enqueue({device_address(buffer_->data()), buffer_->bytes() / kWordBytes, 0,
                                device_address(sink_->data())},
                               stream);
    }

private:
    std::unique_ptr<DeviceMemory> buffer_;
    std::unique_ptr<DeviceMemory> sink_;
    ServiceKernel kernel_;
};

/// A graph that is captured from launches on `stream`, so that it holds what they are there, and
/// replayed with the two events between which it is timed. Where it cannot be captured, sample()
/// says why.
class GraphTimer final : public Timer {
public:
    /// See Bench::timer(). `flush` may be null. Throws Error(device), Error(usage).
    GraphTimer(std::shared_ptr<DriverDevice> device, std::shared_ptr<StreamHandle> stream,
               const CudaProgram& program, std::span<const Launch> chain, std::size_t untimed,
               std::shared_ptr<const CacheFlush> flush)
        : device_(std::move(device)),
          stream_(std::move(stream)),
          flush_(std::move(flush)),
          launches_(chain.size() - untimed),
          graph_(device_, &DriverTable::cuGraphDestroy),
          replay_(device_, &DriverTable::cuGraphExecDestroy),
          begin_(device_, &DriverTable::cuEventDestroy),
          end_(device_, &DriverTable::cuEventDestroy) {
        require_timed(chain, untimed);
        const ContextScope scope(*device_);
        for (DriverHandle<CUevent>* event : {&begin_, &end_}) {
            device_->call(&DriverTable::cuEventCreate, kPreparing, event->out(), CU_EVENT_DEFAULT);
        }
        // A kernel that cannot be captured is a candidate's fault: sample() returns the verdict.
        flaw_ = capture(program, chain.first(untimed), chain.subspan(untimed));
        if (!flaw_) {
            flaw_ = instantiate();
        }
    }

    std::variant<double, LaunchFailure> sample(std::chrono::milliseconds limit) override {
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
            return LaunchFailure{
                .timed_out = false,
                .fatal = false,
                .reason = fmt::format("{}: cuEventElapsedTime: invalid time of {} ms", kTiming,
                                      milliseconds)};
        }
        return static_cast<double>(milliseconds) * kNanosecondsPerMillisecond /
               static_cast<double>(launches_);
    }

private:
    // The events are nodes of the graph: between a launch and events on the stream lie some
    // microseconds of the graph's own start.
    std::optional<LaunchFailure> capture(const CudaProgram& program,
                                         std::span<const Launch> untimed,
                                         std::span<const Launch> timed) {
        StreamCapture capture(*device_, stream_->get(), kPreparing);
        // The first failure is the reason: it ends the capture, so that further calls fail, too.
        std::optional<LaunchFailure> failure;
        const auto launch = [&](const Launch& one) {
            if (!failure) {
                failure = failed(program.try_launch(one, stream_->get()), "cuLaunchKernelEx");
            }
        };
        const auto record = [&](const DriverHandle<CUevent>& event) {
            if (!failure) {
                failure = failed(device_->driver().cuEventRecordWithFlags(
                                     event.get(), stream_->get(), CU_EVENT_RECORD_EXTERNAL),
                                 "cuEventRecordWithFlags");
            }
        };
        std::for_each(untimed.begin(), untimed.end(), launch);
        record(begin_);
        std::for_each(timed.begin(), timed.end(), launch);
        record(end_);
        return failure ? failure : failed(capture.end(graph_.out()), "cuStreamEndCapture");
    }

    std::optional<LaunchFailure> instantiate() {
        const DriverTable& driver = device_->driver();
        auto failure = failed(driver.cuGraphInstantiateWithFlags(replay_.out(), graph_.get(), 0),
                              "cuGraphInstantiate");
        if (!failure) {
            failure = failed(driver.cuGraphUpload(replay_.get(), stream_->get()), "cuGraphUpload");
        }
        return failure;
    }

    std::optional<LaunchFailure> failed(CUresult result, const char* call) const {
        if (result == CUDA_SUCCESS) {
            return std::nullopt;
        }
        return launch_failure(device_->driver(), result, call, kTiming);
    }

    std::optional<LaunchFailure> enqueue() {
        std::optional<LaunchFailure> failure;
        if (flush_) {
            failure = failed(flush_->enqueue(stream_->get()), "cuLaunchKernelEx (cache flush)");
        }
        if (!failure) {
            failure = failed(device_->driver().cuGraphLaunch(replay_.get(), stream_->get()),
                             "cuGraphLaunch");
        }
        return failure;
    }

    std::shared_ptr<DriverDevice> device_;
    std::shared_ptr<StreamHandle> stream_;
    std::shared_ptr<const CacheFlush> flush_;
    std::size_t launches_;
    std::optional<LaunchFailure> flaw_;  ///< why there is no replay
    DriverHandle<CUgraph> graph_;
    DriverHandle<CUgraphExec> replay_;
    DriverHandle<CUevent> begin_;
    DriverHandle<CUevent> end_;
};

constexpr std::string_view kComparing = "compare memory";
constexpr std::string_view kSumming = "take checksums of memory";
constexpr std::size_t kMostRegions = 256;  // of one launch

struct DeviceRegion {
    std::uint64_t address, bytes;
};

/// Checksums of device memory, without bringing it to the host. Used by one thread at a time.
class MemoryChecksum {
public:
    /// Throws Error(unavailable) if there is no compiler or no memory, Error(device) otherwise.
    MemoryChecksum(const std::shared_ptr<DriverDevice>& device, ServiceCode& code)
        : device_(device),
          work_(allocate_device_memory(
              device, kMostRegions * (sizeof(DeviceRegion) + sizeof(std::uint64_t)),
              "allocate the answer of a checksum")),
          kernel_(device, code, "checksum_regions") {}

    /// Of each region, which begins at a multiple of 16 bytes, when the work of `stream` before is
    /// done; waits for that. In a current context of the device. Throws Error(device).
    std::vector<std::uint64_t> sums(std::span<const MemoryRegion> regions, Stream stream) {
        const CUdeviceptr work = device_address(work_->data());
        const CUdeviceptr answer = work + kMostRegions * sizeof(DeviceRegion);
        std::vector<std::uint64_t> sums(regions.size());
        for (std::size_t done = 0; done < regions.size(); done += kMostRegions) {
            const auto some = regions.subspan(done, std::min(kMostRegions, regions.size() - done));
            std::vector<DeviceRegion> described;
            for (const MemoryRegion& region : some) {
                described.push_back({device_address(region.data), region.bytes});
            }
            const std::size_t answer_bytes = some.size() * sizeof(std::uint64_t);
            device_->call(&DriverTable::cuMemcpyHtoDAsync, kSumming, work, described.data(),
                          described.size() * sizeof(DeviceRegion), stream);
            device_->call(&DriverTable::cuMemsetD8Async, kSumming, answer, 0, answer_bytes, stream);
            device_->check(kernel_.enqueue({work, some.size(), answer}, stream), "cuLaunchKernelEx",
                           kSumming);
            device_->call(&DriverTable::cuMemcpyDtoHAsync, kSumming, sums.data() + done, answer,
                          answer_bytes, stream);
            device_->call(&DriverTable::cuStreamSynchronize, kSumming, stream);
        }
        return sums;
    }

private:
    std::shared_ptr<DriverDevice> device_;
    std::unique_ptr<DeviceMemory> work_;  ///< the regions, then their sums
    ServiceKernel kernel_;
};

/// Compares device memory without bringing it to the host. Used by one thread at a time.
class MemoryComparison {
public:
    /// Throws Error(unavailable) if there is no compiler or no memory, Error(device) otherwise.
    MemoryComparison(const std::shared_ptr<DriverDevice>& device, ServiceCode& code)
        : device_(device),
          different_(allocate_device_memory(device, sizeof(std::uint32_t),
                                            "allocate the answer of a comparison")),
          kernel_(device, code, "compare_bytes") {}

    /// Whether `bytes` bytes of any alignment are the same when the work of `stream` before is
    /// done; waits for that. In a current context of the device. Throws Error(device).
    bool equal(const void* one, const void* other, std::size_t bytes, Stream stream) const {
        const CUdeviceptr answer = device_address(different_->data());
        std::uint32_t different = 1;
        device_->call(&DriverTable::cuMemsetD8Async, kComparing, answer, 0, sizeof different,
                      stream);
        device_->check(
            kernel_.enqueue({device_address(one), device_address(other), bytes, answer}, stream),
            "cuLaunchKernelEx", kComparing);
        device_->call(&DriverTable::cuMemcpyDtoHAsync, kComparing, &different, answer,
                      sizeof different, stream);
        device_->call(&DriverTable::cuStreamSynchronize, kComparing, stream);
        return different == 0;
    }

private:
    std::shared_ptr<DriverDevice> device_;
    std::unique_ptr<DeviceMemory> different_;  ///< 32 bits, not 0 if something differs
    ServiceKernel kernel_;
};

class CudaBench final : public Bench {
public:
    CudaBench(std::shared_ptr<DriverDevice> device, std::shared_ptr<ServiceCode> service,
              std::shared_ptr<NvmlReader> nvml, std::shared_ptr<CounterProfiler> profiler)
        : device_(std::move(device)),
          service_(std::move(service)),
          nvml_(std::move(nvml)),
          profiler_(std::move(profiler)),
          stream_(make_stream(device_)) {}

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        return allocate_device_memory(device_, bytes, "allocate memory for a candidate");
    }

    void upload(void* device, std::span<const std::byte> data) override {
        const ContextScope scope(*device_);
        device_->call(&DriverTable::cuMemcpyHtoDAsync, "upload data", device_address(device),
                      data.data(), data.size(), stream_->get());
        synchronize("upload data");
    }

    void download(std::span<std::byte> data, const void* device) override {
        const ContextScope scope(*device_);
        device_->call(&DriverTable::cuMemcpyDtoHAsync, "download data", data.data(),
                      device_address(device), data.size(), stream_->get());
        synchronize("download data");
    }

    void fill(void* device, std::byte value, std::size_t bytes) override {
        const ContextScope scope(*device_);
        device_->call(&DriverTable::cuMemsetD8Async, "fill memory", device_address(device),
                      static_cast<unsigned char>(value), bytes, stream_->get());
    }

    void copy(void* to, const void* from, std::size_t bytes) override {
        const ContextScope scope(*device_);
        device_->call(&DriverTable::cuMemcpyDtoDAsync, "copy memory", device_address(to),
                      device_address(from), bytes, stream_->get());
    }

    bool equal(const void* one, const void* other, std::size_t bytes) override {
        if (!comparison_) {
            comparison_ = std::make_unique<const MemoryComparison>(device_, *service_);
        }
        const ContextScope scope(*device_);
        return comparison_->equal(one, other, bytes, stream_->get());
    }

    std::vector<std::uint64_t> checksums(std::span<const MemoryRegion> regions) override {
        if (!checksum_) {
            checksum_ = std::make_unique<MemoryChecksum>(device_, *service_);
        }
        const ContextScope scope(*device_);
        return checksum_->sums(regions, stream_->get());
    }

    std::optional<LaunchFailure> run(const Program& program, const Launch& launch,
                                     std::chrono::milliseconds limit) override {
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

    std::unique_ptr<Timer> timer(const Program& program, std::span<const Launch> chain,
                                 std::size_t untimed, bool flush_cache) override {
        if (flush_cache && !flush_) {
            flush_ = std::make_shared<const CacheFlush>(device_, *service_, stream_->get());
        }
        return std::make_unique<GraphTimer>(device_, stream_, cuda_program(program), chain, untimed,
                                            flush_cache ? flush_ : nullptr);
    }

    [[nodiscard]] std::string_view chain_kind() const override { return "graph"; }
    std::optional<ClockReading> clocks() override { return nvml_->clocks(); }

    CounterOutcome counters(const Program& program, const Launch& launch) override {
        constexpr const char* tried = "read hardware counters of a launch";
        const CudaProgram& cuda = cuda_program(program);
        const ContextScope scope(*device_);
        synchronize(tried);  // so that CUPTI counts no earlier work of the stream
        CUcontext context = nullptr;
        device_->call(&DriverTable::cuCtxGetCurrent, tried, &context);
        return profiler_->read(context, device_->handle(), launch.step_count, [&] {
            device_->check(cuda.try_launch(launch, stream_->get()), "cuLaunchKernelEx", tried);
            synchronize(tried);
        });
    }

private:
    void synchronize(const char* tried) {
        device_->call(&DriverTable::cuStreamSynchronize, tried, stream_->get());
    }

    std::shared_ptr<DriverDevice> device_;
    std::shared_ptr<ServiceCode> service_;
    std::shared_ptr<NvmlReader> nvml_;
    std::shared_ptr<CounterProfiler> profiler_;
    std::shared_ptr<StreamHandle> stream_;
    std::shared_ptr<const CacheFlush> flush_;  ///< made for the first timer that wants it
    std::unique_ptr<const MemoryComparison> comparison_;  ///< made for the first equal()
    std::unique_ptr<MemoryChecksum> checksum_;            ///< made for the first checksums()
};

}  // namespace

std::unique_ptr<Bench> make_cuda_bench(std::shared_ptr<DriverDevice> device,
                                       std::shared_ptr<ServiceCode> service,
                                       std::shared_ptr<NvmlReader> nvml,
                                       std::shared_ptr<CounterProfiler> profiler) {
    return std::make_unique<CudaBench>(std::move(device), std::move(service), std::move(nvml),
                                       std::move(profiler));
}

}  // namespace jitune::internal
