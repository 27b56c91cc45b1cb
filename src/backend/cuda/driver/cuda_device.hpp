// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/cuda/compile/cuda_compiler.hpp"
#include "backend/cuda/compile/nvrtc_compiler.hpp"
#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/driver/driver_device.hpp"
#include "backend/cuda/driver/nvml_reader.hpp"
#include "backend/cuda/launch/service_kernel.hpp"
#include "backend/cuda/measure/counter_profiler.hpp"
#include "backend/device.hpp"

namespace jitune::internal {

/// A non-blocking stream in the primary context.
class CudaQueue final : public Queue {
public:
    /// Throws Error(device).
    explicit CudaQueue(std::shared_ptr<DriverDevice> device);
    ~CudaQueue() override;

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override;
    std::unique_ptr<DeviceMemory> allocate_staging(std::size_t bytes) override;
    void upload(void* device, std::span<const std::byte> data) override;
    void download(std::span<std::byte> data, const void* device) override;
    void fill_zero(void* device, std::size_t bytes) override;
    void launch(const ReadyLaunch& launch, void* const* arrays) override;
    void wait() override;

private:
    std::shared_ptr<DriverDevice> device_;
    std::shared_ptr<DriverHandle<CUstream>> stream_;
};

/// One CUDA device with NVRTC. The objects that it hands out may outlive it.
class CudaDevice final : public Device {
public:
    CudaDevice(std::shared_ptr<DriverDevice> device, std::shared_ptr<CudaCompiler> compiler,
               std::shared_ptr<NvmlReader> nvml, std::shared_ptr<CounterProfiler> profiler);

    [[nodiscard]] const std::shared_ptr<DriverDevice>& device() const { return device_; }
    [[nodiscard]] const DeviceInfo& info() const override { return device_->info(); }
    std::string compiler() override { return compiler_->name().version; }
    std::string compiler_key() override { return compiler_->name().key; }
    bool has_compiler(const std::string& key) override { return is_present_nvrtc(key); }
    std::vector<CompileOutcome> compile(const TemplateSource& source,
                                        std::span<const Instance> instances,
                                        CompileCall& call) override;
    void expect_compiles(std::size_t threads, const std::stop_token& /*stop*/) override {
        compiler_->expect(threads);
    }
    std::shared_ptr<const Program> load(const Binary& binary) override;
    std::unique_ptr<Bench> make_bench() override;
    std::optional<double> utilization() override { return nvml_->utilization(); }
    bool take_launched() override { return device_->launched().exchange(false); }
    std::optional<double> energy_j() override { return nvml_->energy_j(); }
    std::unique_ptr<LaunchTimer> make_launch_timer() override;
    std::unique_ptr<Queue> make_queue() override;
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override;
    std::unique_ptr<DeviceMemory> allocate_zeroed(std::size_t bytes) override;
    void read_back(std::span<std::byte> data, const void* device, Stream stream) override;
    void write(void* device, std::span<const std::byte> value, std::size_t count,
               Stream stream) override;
    void copy(void* to, const void* from, std::size_t bytes, Stream stream) override;

private:
    std::shared_ptr<DriverDevice> device_;
    std::shared_ptr<CudaCompiler> compiler_;
    std::shared_ptr<ServiceCode> service_;
    std::shared_ptr<NvmlReader> nvml_;
    std::shared_ptr<CounterProfiler> profiler_;
};

}  // namespace jitune::internal
