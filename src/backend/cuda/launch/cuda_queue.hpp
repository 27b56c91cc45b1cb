// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/cuda/driver/driver_device.hpp"
#include "backend/cuda/driver/driver_handle.hpp"
#include "backend/queue.hpp"

namespace jitune::internal {

/// A non-blocking stream in the primary context.
class CudaQueue final : public Queue {
public:
    /// Throws Error(device).
    explicit CudaQueue(std::shared_ptr<DriverDevice> device);
    ~CudaQueue() override;

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override;
    std::unique_ptr<DeviceMemory> allocate_staging(std::size_t bytes) override;
    void upload(void* device, std::span<const std::byte> data) override;
    void download(std::span<std::byte> data, const void* device) override;
    void fill_zero(void* device, std::size_t bytes) override;
    void launch(const ReadyLaunch& launch, void* const* arrays) override;
    void wait() override;

private:
    std::shared_ptr<DriverDevice> device_;
    std::shared_ptr<DriverHandle<CUstream>> stream_;
};

}  // namespace jitune::internal
