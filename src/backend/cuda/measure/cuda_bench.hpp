// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "backend/cuda/compile/cuda_program.hpp"
#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/driver/device_memory.hpp"
#include "backend/cuda/driver/driver_device.hpp"
#include "backend/cuda/driver/nvml_reader.hpp"
#include "backend/cuda/launch/service_kernel.hpp"
#include "backend/cuda/measure/counter_profiler.hpp"
#include "backend/cuda/measure/memory_checksum.hpp"
#include "backend/device.hpp"

namespace jitune::internal {

/// Empties the last-level cache of what other launches left there, by reading four times as much.
class CacheFlush {
public:
    /// Throws Error(unavailable) if there is no compiler or too little free
    /// memory, Error(device) otherwise. `stream` is where enqueue() will be used.
    CacheFlush(const std::shared_ptr<DriverDevice>& device, ServiceCode& code, Stream stream);

    CUresult enqueue(Stream stream) const;

private:
    std::unique_ptr<DeviceMemory> buffer_;
    std::unique_ptr<DeviceMemory> sink_;
    ServiceKernel kernel_;
};

using StreamHandle = DriverHandle<CUstream>;

/// A graph that is captured from launches on `stream`, and replayed with the two events between
/// which it is timed. If it cannot be captured, sample() says why.
class GraphTimer final : public Timer {
public:
    /// See Bench::timer(). `flush` may be null. Throws Error(device), Error(usage).
    GraphTimer(std::shared_ptr<DriverDevice> device, std::shared_ptr<StreamHandle> stream,
               const CudaProgram& program, std::span<const Launch> chain, std::size_t untimed,
               std::shared_ptr<const CacheFlush> flush);

    std::variant<double, LaunchFailure> sample(std::chrono::milliseconds limit) override;

private:
    [[nodiscard]] std::optional<LaunchFailure> capture(const CudaProgram& program,
                                                       std::span<const Launch> untimed,
                                                       std::span<const Launch> timed);
    [[nodiscard]] std::optional<LaunchFailure> instantiate();
    void make_events();
    [[nodiscard]] std::optional<LaunchFailure> enqueue();
    [[nodiscard]] std::optional<LaunchFailure> failed(CUresult result, const char* call) const;

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

/// Works on a non-blocking stream of its own. Its timers and memory may outlive it.
class CudaBench final : public Bench {
public:
    /// Throws Error(device).
    CudaBench(std::shared_ptr<DriverDevice> device, std::shared_ptr<ServiceCode> service,
              std::shared_ptr<NvmlReader> nvml, std::shared_ptr<CounterProfiler> profiler);

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override;
    void upload(void* device, std::span<const std::byte> data) override;
    void download(std::span<std::byte> data, const void* device) override;
    void fill(void* device, std::byte value, std::size_t bytes) override;
    void copy(void* to, const void* from, std::size_t bytes) override;
    bool equal(const void* one, const void* other, std::size_t bytes) override;
    std::vector<std::uint64_t> checksums(std::span<const MemoryRegion> regions) override;
    std::optional<LaunchFailure> run(const Program& program, const Launch& launch,
                                     std::chrono::milliseconds limit) override;
    std::unique_ptr<Timer> timer(const Program& program, std::span<const Launch> chain,
                                 std::size_t untimed, bool flush_cache) override;
    [[nodiscard]] std::string_view chain_kind() const override { return "graph"; }
    std::optional<ClockReading> clocks() override { return nvml_->clocks(); }
    CounterOutcome counters(const Program& program, const Launch& launch) override;

private:
    void synchronize(const char* tried);

    std::shared_ptr<DriverDevice> device_;
    std::shared_ptr<ServiceCode> service_;
    std::shared_ptr<NvmlReader> nvml_;
    std::shared_ptr<CounterProfiler> profiler_;
    std::shared_ptr<StreamHandle> stream_;
    std::shared_ptr<const CacheFlush> flush_;  ///< made for the first timer that wants it
    std::unique_ptr<const MemoryComparison> comparison_;  ///< made for the first equal()
    std::unique_ptr<MemoryChecksum> checksum_;            ///< made for the first checksums()
};

/// A non-blocking stream in the device's context.
std::shared_ptr<StreamHandle> make_stream(const std::shared_ptr<DriverDevice>& device);

}  // namespace jitune::internal
