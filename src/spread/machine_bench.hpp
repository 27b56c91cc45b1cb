// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>
#include <string_view>
#include <utility>

#include "backend/device.hpp"

namespace jitune::internal {

/// The host's bench for placements. If a launch throws Error(unavailable), run() and the timers'
/// sample() throw it, too, and the tuning ends: a GPU without memory says nothing about the
/// placement, and a winner that was found without the GPU must not be stored.
class MachineBench final : public Bench {
public:
    explicit MachineBench(std::unique_ptr<Bench> host) : host_(std::move(host)) {}

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override {
        return host_->allocate(bytes);
    }
    void upload(void* device, std::span<const std::byte> data) override {
        host_->upload(device, data);
    }
    void download(std::span<std::byte> data, const void* device) override {
        host_->download(data, device);
    }
    void fill(void* device, std::byte value, std::size_t bytes) override {
        host_->fill(device, value, bytes);
    }
    void copy(void* to, const void* from, std::size_t bytes) override {
        host_->copy(to, from, bytes);
    }
    std::vector<std::uint64_t> checksums(std::span<const MemoryRegion> regions) override {
        return host_checksums(regions);
    }
    bool equal(const void* one, const void* other, std::size_t bytes) override {
        return host_->equal(one, other, bytes);
    }
    std::optional<LaunchFailure> run(const Program& program, const Launch& launch,
                                     std::chrono::milliseconds limit) override;
    std::unique_ptr<Timer> timer(const Program& program, std::span<const Launch> chain,
                                 std::size_t untimed, bool flush_cache) override;
    [[nodiscard]] std::string_view chain_kind() const override { return host_->chain_kind(); }
    std::optional<ClockReading> clocks() override { return host_->clocks(); }
    std::optional<ProcessorUse> processor_use() override { return host_->processor_use(); }

private:
    std::unique_ptr<Bench> host_;
};

}  // namespace jitune::internal
