// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/cuda/driver/driver_device.hpp"
#include "backend/device.hpp"

namespace jitune::internal {

/// Page-locked host memory, which every device of the process may copy from and to. Throws
/// Error(unavailable) if there is no more of it and Error(device) otherwise.
std::unique_ptr<DeviceMemory> allocate_pinned_memory(const std::shared_ptr<DriverDevice>& device,
                                                     std::size_t bytes);

}  // namespace jitune::internal
