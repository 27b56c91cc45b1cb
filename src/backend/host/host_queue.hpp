// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/queue.hpp"

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

}  // namespace jitune::internal
