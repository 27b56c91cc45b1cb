// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <chrono>
#include <optional>
#include <string_view>

#include "backend/cuda/driver/driver_table.hpp"
#include "backend/device.hpp"

namespace jitune::internal {

class DriverDevice;

/// True if cuda.h says that the process must be restarted after `result`, and for every code
/// that is not known to be harmless.
bool is_fatal(CUresult result);

/// True for the codes by which cuda.h says that the context is gone.
bool ends_context(CUresult result);

LaunchFailure launch_failure(const DriverTable& driver, CUresult result, const char* call,
                             std::string_view tried);

/// Waits until `stream` is idle; empty when all its work succeeded. After `limit` the device is
/// given up (DriverDevice::abandon) and the failure is fatal.
std::optional<LaunchFailure> wait_until_idle(DriverDevice& device, Stream stream,
                                             std::chrono::milliseconds limit);

}  // namespace jitune::internal
