// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "dispatch/engine.hpp"
#include "placement/host_pipeline.hpp"

namespace jitune::internal {

class MachineDevice;

/// The processors of this machine together, which share the work on arrays in host memory. One for
/// each engine. Thread-safe.
class Machine final : public EnginePart {
public:
    /// That of the engine. Devices are opened when they are first needed.
    static Machine& of(Engine& engine);

    /// For tests: of other devices.
    Machine(Engine& engine, Device& host, std::vector<Device*> gpus);
    explicit Machine(Engine& engine);
    ~Machine() override;

    [[nodiscard]] Engine& engine() const { return engine_; }
    Device& host();
    /// Those that can be opened; of others the log tells.
    std::span<Device* const> gpus();
    /// The device "machine", whose kernels are placements.
    Device& device();
    /// Its calls are those of one thread after the other, with no stream.
    StreamSite& site();
    /// The built-in template of placements for an operation: "entropy". Made once.
    const Kernel& kernel(std::string_view operation);

    /// Calls `resolve` for the host and each GPU, before placements are timed that need kernels
    /// there. Where a GPU's lacks for a reason that may pass, throws Error(unavailable): what wins
    /// without it is not to be kept. Where no kernel is right there, or the host has none beside
    /// GPUs, that is logged: such placements fail, and others may win. Throws what `resolve` throws
    /// for the host where there is nothing else.
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

/// The launch of the host's own kernel for some sizes, by the calling thread.
std::unique_ptr<ReadyLaunch> ready_on_host(Machine& machine, std::span<const std::int64_t> sizes,
                                           const Resolved& resolved);

/// The device of an id as Engine::backend() has it, or "machine".
Device& device_of(Engine& engine, std::string_view id);

/// Where host memory is worked on under Options::device: the host's site or, for "auto" where there
/// are GPUs, that of the machine; nullptr where the option names a GPU.
StreamSite* host_data_site(Engine& engine);

}  // namespace jitune::internal
