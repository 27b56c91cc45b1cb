// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/device.hpp"
#include "spread/machine.hpp"

namespace jitune::internal {

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
    std::unique_ptr<Bench> make_bench() override;

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
