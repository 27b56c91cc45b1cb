// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "backend/device.hpp"
#include "dispatch/engine.hpp"
#include "spread/host_pipeline.hpp"

namespace jitune::internal {

class MachineDevice;

/// All processors of this machine together, which share the work on arrays in host memory. Each
/// engine has one. Thread-safe.
class Machine {
public:
    /// The engine's machine. Devices are opened on first use.
    static Machine& of(Engine& engine);

    /// Of the given devices instead of the engine's.
    Machine(Engine& engine, Device& host, std::vector<Device*> gpus);
    explicit Machine(Engine& engine);
    ~Machine();

    [[nodiscard]] Engine& engine() const { return engine_; }
    Device& host();
    /// The GPUs that can be opened; a warning is logged for each of the others.
    std::span<Device* const> gpus();
    /// The device "machine", whose kernels are placements.
    Device& device();
    /// It has no stream: a call returns when its work is done.
    StreamSite& site();
    /// The template of a family's placements: "entropy". Made once. Throws Error(usage) if the
    /// family has none.
    const Kernel& kernel(std::string_view family);

    /// Calls `resolve` for the host and each GPU, before placements that need kernels there are
    /// timed. If a GPU has no kernel for a reason that may pass, throws Error(unavailable), because
    /// a winner that was found without the GPU must not be stored. If no kernel is right on a GPU,
    /// or the host has none beside GPUs, that is logged: placements on it fail, and others may win.
    /// Throws what `resolve` throws for the host if there is no GPU.
    void prepare_kernels(const std::function<void(Device& device, bool is_host)>& resolve);

    [[nodiscard]] HostPipeline& pipeline() { return pipeline_; }

private:
    struct Opened;
    Opened& opened();

    Engine& engine_;
    HostPipeline pipeline_;
    std::once_flag once_;
    std::unique_ptr<Opened> opened_;
};

/// The device of an id that Engine::device() accepts, or of "machine".
Device& device_of(Engine& engine, std::string_view id);

/// The device that a prepared handle names: an id as for device_of(), where "auto" is as
/// Options::device has it: the machine, or the host if there is no GPU; or empty for the device of
/// the calling thread's current CUDA context.
Device& handle_device(Engine& engine, std::string_view id);

/// As host_data_site(), if Options::device is not "host".
StreamSite* placed_data_site(Engine& engine, std::string_view family);

/// Where calls of a family work on host memory under Options::device. "host": the site of the host.
/// "auto": the fastest of the family's placements, on the site of the machine; a family without
/// placements (Family::placed) and a machine without GPUs have one place, the host. nullptr if the
/// option names a GPU.
inline StreamSite* host_data_site(Engine& engine, std::string_view family) {
    if (engine.keeps_host_data()) {
        return &engine.host().site(nullptr);
    }
    return placed_data_site(engine, family);
}

/// A device that shares the host's memory but runs its own programs.
class HostMemoryDevice : public Device {
public:
    std::unique_ptr<Queue> make_queue() override { return host_.make_queue(); }
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        return host_.allocate(bytes);
    }
    std::unique_ptr<DeviceMemory> allocate_zeroed(std::size_t bytes) override {
        return host_.allocate_zeroed(bytes);
    }
    void read_back(std::span<std::byte> data, const void* device, Stream stream) override {
        host_.read_back(data, device, stream);
    }
    void write(void* device, std::span<const std::byte> value, std::size_t count,
               Stream stream) override {
        host_.write(device, value, count, stream);
    }
    void copy(void* to, const void* from, std::size_t bytes, Stream stream) override {
        host_.copy(to, from, bytes, stream);
    }
    std::optional<double> utilization() override { return host_.utilization(); }

protected:
    /// `host` must outlive it.
    explicit HostMemoryDevice(Device& host) : host_(host) {}

    Device& host_;
};

/// The device "machine": its memory is the host's, and its programs are placements of operations on
/// arrays there. Nothing is compiled: the image of a program is its name expression. So placements
/// are searched, timed, stored and explained like the configurations of any kernel.
class MachineDevice final : public HostMemoryDevice {
public:
    /// All of them must outlive it.
    MachineDevice(Machine& machine, Device& host, std::span<Device* const> gpus);

    [[nodiscard]] const DeviceInfo& info() const override { return info_; }
    std::string compiler() override { return "none"; }
    std::vector<CompileOutcome> compile(const TemplateSource& source,
                                        std::span<const Instance> instances,
                                        CompileCall& call) override;
    std::shared_ptr<const Program> load(const Binary& binary) override;
    std::unique_ptr<Bench> make_bench() override { return host_.make_bench(); }

    [[nodiscard]] Machine& machine() const { return machine_; }

private:
    Machine& machine_;
    DeviceInfo info_;
};

/// The kernel of a family for a device: its placements for the machine, else what `builtin` gives
/// for the device's platform.
const Kernel& kernel_on(const Device& device, std::string_view family,
                        const Kernel& (*builtin)(PlatformKind platform));

}  // namespace jitune::internal
