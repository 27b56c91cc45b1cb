// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/cuda_device.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "backend/cuda/compile/cuda_program.hpp"
#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/launch/capture.hpp"

namespace jitune::internal {
namespace {

constexpr std::string_view kPageLock = "page-lock host memory";

class PinnedMemory final : public DeviceMemory {
public:
    PinnedMemory(const std::shared_ptr<DriverDevice>& device, std::size_t bytes)
        : memory_(device, &DriverTable::cuMemFreeHost), bytes_(bytes) {
        const ContextScope scope(*device, ContextScope::Primary());
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

std::shared_ptr<StreamHandle> make_own_stream(const std::shared_ptr<DriverDevice>& device) {
    const ContextScope scope(*device, ContextScope::Primary());
    return make_stream(device);
}

/// A non-blocking stream in the primary context.
class CudaQueue final : public Queue {
public:
    /// Throws Error(device).
    explicit CudaQueue(std::shared_ptr<DriverDevice> device)
        : device_(std::move(device)), stream_(make_own_stream(device_)) {}
    ~CudaQueue() override {
        if (!device_->abandoned()) {
            device_->try_call(&DriverTable::cuStreamSynchronize, stream_->get());
        }
    }

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        const ContextScope scope(*device_, ContextScope::Primary());
        return allocate_device_memory(device_, bytes, "allocate memory for host data");
    }

    std::unique_ptr<DeviceMemory> allocate_staging(std::size_t bytes) override {
        return allocate_page_locked(device_, bytes);
    }

    void upload(void* device, std::span<const std::byte> data) override {
        enqueue(&DriverTable::cuMemcpyHtoDAsync, "upload host data", device_address(device),
                data.data(), data.size());
    }

    void download(std::span<std::byte> data, const void* device) override {
        enqueue(&DriverTable::cuMemcpyDtoHAsync, "download results", data.data(),
                device_address(device), data.size());
    }

    void fill_zero(void* device, std::size_t bytes) override {
        enqueue(&DriverTable::cuMemsetD8Async, "zero memory", device_address(device),
                static_cast<unsigned char>(0), bytes);
    }

    void launch(const ReadyLaunch& launch, void* const* arrays) override {
        const ContextScope scope(*device_, ContextScope::Primary());
        launch(arrays, stream_->get());
    }

    void wait() override {
        device_->call(&DriverTable::cuStreamSynchronize, "wait for work on host data",
                      stream_->get());
    }

private:
    template <class Function, class... Arguments>
    void enqueue(Function function, std::string_view tried, const Arguments&... arguments) {
        const ContextScope scope(*device_, ContextScope::Primary());
        device_->call(function, tried, arguments..., stream_->get());
    }

    std::shared_ptr<DriverDevice> device_;
    std::shared_ptr<StreamHandle> stream_;
};

class CudaDevice final : public Device {
public:
    CudaDevice(std::shared_ptr<DriverDevice> device, std::shared_ptr<CudaCompiler> compiler,
               std::shared_ptr<NvmlReader> nvml, std::shared_ptr<CounterProfiler> profiler)
        : device_(std::move(device)),
          compiler_(std::move(compiler)),
          service_(std::make_shared<ServiceCode>(compiler_, compute_capability())),
          nvml_(std::move(nvml)),
          profiler_(std::move(profiler)) {}

    [[nodiscard]] const DeviceInfo& info() const override { return device_->info(); }
    std::string compiler() override { return compiler_->name().version; }
    std::string compiler_key() override { return compiler_->name().key; }
    bool has_compiler(const std::string& key) override { return is_present_nvrtc(key); }

    std::vector<CompileOutcome> compile(const TemplateSource& source,
                                        std::span<const Instance> instances,
                                        CompileCall& call) override {
        return compiler_->compile(compute_capability(), source, instances, call);
    }

    void expect_compiles(std::size_t threads, const std::stop_token& /*stop*/) override {
        compiler_->expect(threads);
    }

    std::shared_ptr<const Program> load(const Binary& binary) override {
        return std::make_shared<const CudaProgram>(device_, binary);
    }

    std::unique_ptr<Bench> make_bench() override {
        return make_cuda_bench(device_, service_, nvml_, profiler_);
    }

    std::optional<double> utilization() override { return nvml_->utilization(); }
    bool take_launched() override { return device_->launched().exchange(false); }
    std::optional<double> energy_j() override { return nvml_->energy_j(); }

    std::unique_ptr<LaunchTimer> make_launch_timer() override {
        return make_cuda_launch_timer(device_);
    }

    std::unique_ptr<Queue> make_queue() override { return std::make_unique<CudaQueue>(device_); }

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        return allocate_device_memory(device_, bytes, "allocate memory");
    }

    std::unique_ptr<DeviceMemory> allocate_zeroed(std::size_t bytes) override {
        constexpr std::string_view zeroing = "zero memory";
        auto memory = allocate(bytes);
        // A stream of our own: the default one may be part of someone's capture.
        const std::shared_ptr<StreamHandle> stream = make_stream(device_);
        const ContextScope scope(*device_);
        device_->call(&DriverTable::cuMemsetD8Async, zeroing, device_address(memory->data()), 0,
                      bytes, stream->get());
        device_->call(&DriverTable::cuStreamSynchronize, zeroing, stream->get());
        return memory;
    }

    void read_back(std::span<std::byte> data, const void* device, Stream stream) override {
        constexpr const char* reading = "read a result back";
        refuse_capture(*device_, stream, reading);
        const ContextScope scope(*device_);
        device_->call(&DriverTable::cuMemcpyDtoHAsync, reading, data.data(), device_address(device),
                      data.size(), stream);
        device_->call(&DriverTable::cuStreamSynchronize, reading, stream);
    }

    void write(void* device, std::span<const std::byte> value, std::size_t count,
               Stream stream) override {
        constexpr const char* writing = "write a result";
        const ContextScope scope(*device_);
        if (value.size() == 1) {
            device_->call(&DriverTable::cuMemsetD8Async, writing, device_address(device),
                          std::to_integer<unsigned char>(value[0]), count, stream);
            return;
        }
        // Each 32-bit word of the value by itself: one column of a matrix with a value in each row.
        for (std::size_t at = 0; at < value.size(); at += sizeof(std::uint32_t)) {
            std::uint32_t word = 0;
            std::memcpy(&word, &value[at], sizeof word);
            device_->call(&DriverTable::cuMemsetD2D32Async, writing, device_address(device) + at,
                          value.size(), word, 1, count, stream);
        }
    }

    void copy(void* to, const void* from, std::size_t bytes, Stream stream) override {
        const ContextScope scope(*device_);
        device_->call(&DriverTable::cuMemcpyDtoDAsync, "copy a result", device_address(to),
                      device_address(from), bytes, stream);
    }

private:
    [[nodiscard]] int compute_capability() const {
        return static_cast<int>(device_->attribute("compute_capability"));
    }

    std::shared_ptr<DriverDevice> device_;
    std::shared_ptr<CudaCompiler> compiler_;
    std::shared_ptr<ServiceCode> service_;
    std::shared_ptr<NvmlReader> nvml_;
    std::shared_ptr<CounterProfiler> profiler_;
};

}  // namespace

std::unique_ptr<DeviceMemory> allocate_page_locked(const std::shared_ptr<DriverDevice>& device,
                                                   std::size_t bytes) {
    return std::make_unique<PinnedMemory>(device, bytes);
}

std::unique_ptr<Device> make_cuda_device(std::shared_ptr<DriverDevice> device,
                                         std::shared_ptr<CudaCompiler> compiler,
                                         std::shared_ptr<NvmlReader> nvml,
                                         std::shared_ptr<CounterProfiler> profiler) {
    return std::make_unique<CudaDevice>(std::move(device), std::move(compiler), std::move(nvml),
                                        std::move(profiler));
}

}  // namespace jitune::internal
