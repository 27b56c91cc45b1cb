// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/driver/driver_device.hpp"
#include "backend/stream_site.hpp"

namespace jitune::internal {

/// Copies pieces of memory by a kernel: one launch costs less time, on the host and between two
/// kernels, than one copy of the driver's. For all devices of a driver.
class PieceCopier {
public:
    /// Throws Error(device).
    explicit PieceCopier(const std::shared_ptr<DriverDevice>& device);

    /// The context of `stream` must be current and have access to all of the memory. Throws
    /// Error(device) that names `tried`.
    void enqueue(std::span<const MemoryCopy> copies, Stream stream, const char* tried) const;

private:
    std::shared_ptr<DriverDevice> device_;
    DriverHandle<CUlibrary> library_;
    CUkernel kernel_ = nullptr;
};

}  // namespace jitune::internal
