// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "backend/cuda/driver/driver_device.hpp"
#include "backend/device.hpp"

namespace jitune::internal {

/// Memory from cuMemAlloc in the current context, else the primary one; `purpose` goes into the
/// message. Throws Error(unavailable) when memory runs out and Error(device) otherwise.
std::unique_ptr<DeviceMemory> allocate_device_memory(const std::shared_ptr<DriverDevice>& device,
                                                     std::size_t bytes, std::string_view purpose);

inline CUdeviceptr device_address(const void* data) {
    return static_cast<CUdeviceptr>(reinterpret_cast<std::uintptr_t>(data));
}

}  // namespace jitune::internal
