#pragma once

#include "ops/machine.hpp"
#include "ops/machine_bench.hpp"

namespace jitune {

/// The device "machine": its programs are placements of operations on arrays in host memory, which
/// is its memory, too. There is nothing to compile: the image of a program is its name expression.
/// So placements are searched, timed, stored and explained as any kernel's configurations are.
class MachineBackend final : public Backend {
public:
    /// All of them must outlive it.
    MachineBackend(Machine& machine, Backend& host, std::span<Backend* const> gpus);

    [[nodiscard]] const DeviceInfo& info() const override { return info_; }
    std::string compiler() override { return "none"; }
    std::vector<CompileOutcome> compile(const TemplateSource& source,
                                        std::span<const Instance> instances) override;
    std::shared_ptr<const Program> load(const Binary& binary) override;
    std::unique_ptr<Bench> make_bench() override {
        return std::make_unique<MachineBench>(host_.make_bench());
    }
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

    /// The machine's template for an operation.
    [[nodiscard]] const Kernel& kernel(std::string_view operation) const {
        return machine_.kernel(operation);
    }

private:
    Machine& machine_;
    Backend& host_;
    DeviceInfo info_;
};

/// Of a backend whose id is "machine".
inline const Kernel& placed_kernel(const Backend& machine, std::string_view operation) {
    return static_cast<const MachineBackend&>(machine).kernel(operation);
}

}  // namespace jitune
