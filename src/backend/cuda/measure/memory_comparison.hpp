// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/cuda/driver/device_memory.hpp"
#include "backend/cuda/launch/service_kernel.hpp"

namespace jitune::internal {

/// Compares device memory without bringing it to the host. Used by one thread at a time.
class MemoryComparison {
public:
    /// Throws Error(unavailable) if there is no compiler or no memory,
    /// Error(device) otherwise.
    MemoryComparison(const std::shared_ptr<DriverDevice>& device, ServiceCode& code);

    /// Whether `bytes` bytes of any alignment are the same when the work of `stream` before is
    /// done; waits for that. In a current context of the device. Throws Error(device).
    bool equal(const void* one, const void* other, std::size_t bytes, Stream stream) const;

private:
    std::shared_ptr<DriverDevice> device_;
    std::unique_ptr<DeviceMemory> different_;  ///< 32 bits, not 0 if something differs
    ServiceKernel kernel_;
};

}  // namespace jitune::internal
