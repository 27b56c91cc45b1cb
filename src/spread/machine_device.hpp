// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spread/host_memory_device.hpp"
#include "spread/machine.hpp"
#include "spread/machine_bench.hpp"

namespace jitune::internal {

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
    std::unique_ptr<Bench> make_bench() override {
        return std::make_unique<MachineBench>(host_.make_bench());
    }

    /// The template of a family's placements.
    [[nodiscard]] const Kernel& kernel(std::string_view operation) const {
        return machine_.kernel(operation);
    }

private:
    Machine& machine_;
    DeviceInfo info_;
};

/// The template of a family's placements, for a device whose platform is the machine.
inline const Kernel& placed_kernel(const Device& machine, std::string_view operation) {
    return static_cast<const MachineDevice&>(machine).kernel(operation);
}

}  // namespace jitune::internal
