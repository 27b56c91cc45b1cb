// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/cuda/driver/device_memory.hpp"
#include "backend/cuda/launch/service_kernel.hpp"
#include "backend/device.hpp"

namespace jitune::internal {

/// Checksums of device memory, without bringing it to the host. Used by one thread at a time.
class MemoryChecksum {
public:
    /// Throws Error(unavailable) if there is no compiler or no memory,
    /// Error(device) otherwise.
    MemoryChecksum(const std::shared_ptr<DriverDevice>& device, ServiceCode& code);

    /// Waits for the work that `stream` has so far, and returns the checksum of each region.
    /// Regions begin at multiples of 16 bytes. In a current context of the device. Throws
    /// Error(device).
    std::vector<std::uint64_t> sums(std::span<const MemoryRegion> regions, Stream stream);

private:
    std::shared_ptr<DriverDevice> device_;
    std::unique_ptr<DeviceMemory> work_;  ///< the regions, then their sums
    ServiceKernel kernel_;
};

/// Compares device memory without bringing it to the host. Used by one thread at a time.
class MemoryComparison {
public:
    /// Throws Error(unavailable) if there is no compiler or no memory,
    /// Error(device) otherwise.
    MemoryComparison(const std::shared_ptr<DriverDevice>& device, ServiceCode& code);

    /// Waits for the work that `stream` has so far, and returns whether `bytes` bytes of any
    /// alignment are the same. In a current context of the device. Throws Error(device).
    bool equal(const void* one, const void* other, std::size_t bytes, Stream stream) const;

private:
    std::shared_ptr<DriverDevice> device_;
    std::unique_ptr<DeviceMemory> different_;  ///< 32 bits, not 0 if something differs
    ServiceKernel kernel_;
};

}  // namespace jitune::internal
