// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/device.hpp"
#include "support/log.hpp"

namespace jitune::internal {

/// The CPU, the system's C++ compiler and the dynamic loader as a device. Streams are ignored and
/// every call is done when it returns.
std::unique_ptr<Device> make_host_device(DeviceInfo info, Log log);

/// Runs candidates on the calling thread. Nothing guards against them here: one that crashes ends
/// the process and one that hangs is not stopped; a time limit is looked at when the work is done.
/// Isolation comes from running the bench in a worker process. `info` must outlive the bench.
std::unique_ptr<Bench> make_host_bench(const DeviceInfo& info);

}  // namespace jitune::internal
