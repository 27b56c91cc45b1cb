// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/cuda/driver/device_memory.hpp"
#include "backend/cuda/launch/service_kernel.hpp"

namespace jitune::internal {

/// Empties the last-level cache of what other launches left there, by reading four times as much.
class CacheFlush {
public:
    /// Throws Error(unavailable) if there is no compiler or too little free
    /// memory, Error(device) otherwise. `stream` is where enqueue() will be used.
    CacheFlush(const std::shared_ptr<DriverDevice>& device, ServiceCode& code, Stream stream);

    CUresult enqueue(Stream stream) const;

private:
    std::unique_ptr<DeviceMemory> buffer_;
    std::unique_ptr<DeviceMemory> sink_;
    ServiceKernel kernel_;
};

}  // namespace jitune::internal
