// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "backend/device.hpp"
#include "backend/host/host_compiler.hpp"
#include "backend/host/host_facts.hpp"
#include "backend/host/host_program.hpp"
#include "support/hash.hpp"
#include "support/log.hpp"

namespace jitune::internal {

/// The calling thread itself, and host memory for a device's.
class HostQueue final : public Queue {
public:
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override;
    std::unique_ptr<DeviceMemory> allocate_staging(std::size_t bytes) override;
    void upload(void* device, std::span<const std::byte> data) override;
    void download(std::span<std::byte> data, const void* device) override;
    void fill_zero(void* device, std::size_t bytes) override;
    void launch(const ReadyLaunch& launch, void* const* arrays) override;
    void wait() override {}
};

/// The CPU, the system's C++ compiler and the dynamic loader as a device. Streams are ignored and
/// every call is done when it returns.
class HostDevice final : public Device {
public:
    HostDevice(DeviceInfo info, Log log);

    [[nodiscard]] const DeviceInfo& info() const override { return info_; }
    std::string compiler() override;
    std::string compiler_key() override { return find_compiler()->key(); }
    bool has_compiler(const std::string& key) override;
    std::vector<CompileOutcome> compile(const TemplateSource& source,
                                        std::span<const Instance> instances,
                                        CompileCall& call) override;
    void expect_compiles(std::size_t /*threads*/, const std::stop_token& stop) override {
        find_compiler(stop);
    }
    std::shared_ptr<const Program> load(const Binary& binary) override;
    std::unique_ptr<Bench> make_bench() override;
    std::optional<double> utilization() override { return processors_taken(); }
    std::unique_ptr<LaunchTimer> make_launch_timer() override;
    std::unique_ptr<Queue> make_queue() override;
    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override;
    std::unique_ptr<DeviceMemory> allocate_zeroed(std::size_t bytes) override;
    void read_back(std::span<std::byte> data, const void* device, Stream stream) override;
    void write(void* device, std::span<const std::byte> value, std::size_t count,
               Stream stream) override;
    void copy(void* to, const void* from, std::size_t bytes, Stream stream) override;

private:
    std::shared_ptr<const HostCompiler> find_compiler(const std::stop_token& stop = {});
    std::shared_ptr<const HostImage> find_image(const std::string& image);

    DeviceInfo info_;
    Log log_;
    std::mutex mutex_;  ///< guards what follows; not held while compiling or loading
    std::shared_ptr<const HostCompiler> compiler_;
    std::map<Digest, std::shared_ptr<const HostImage>> images_;
};

}  // namespace jitune::internal
