// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/device.hpp"

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

}  // namespace jitune::internal
