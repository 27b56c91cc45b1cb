// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

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

}  // namespace jitune::internal
