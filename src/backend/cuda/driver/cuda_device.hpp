// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/cuda/compile/cuda_compiler.hpp"
#include "backend/cuda/driver/driver_device.hpp"
#include "backend/cuda/driver/nvml_reader.hpp"
#include "backend/cuda/launch/service_kernel.hpp"
#include "backend/cuda/measure/counter_profiler.hpp"

namespace jitune::internal {

/// One CUDA device with NVRTC. The objects that it hands out may outlive it.
std::unique_ptr<Device> make_cuda_device(std::shared_ptr<DriverDevice> device,
                                         std::shared_ptr<CudaCompiler> compiler,
                                         std::shared_ptr<NvmlReader> nvml,
                                         std::shared_ptr<CounterProfiler> profiler);

/// Page-locked host memory, which every device of the process may copy from and to. Throws
/// Error(unavailable) if there is no more of it and Error(device) otherwise.
std::unique_ptr<DeviceMemory> allocate_page_locked(const std::shared_ptr<DriverDevice>& device,
                                                   std::size_t bytes);

/// A bench that works on a non-blocking stream of its own. Its timers and memory may outlive it.
/// Throws Error(device).
std::unique_ptr<Bench> make_cuda_bench(std::shared_ptr<DriverDevice> device,
                                       std::shared_ptr<ServiceCode> service,
                                       std::shared_ptr<NvmlReader> nvml,
                                       std::shared_ptr<CounterProfiler> profiler);

/// Times a call by three events on its stream: what lies between the first two, which have nothing
/// between them, is taken off what lies between the last two. Times no call on a stream that is
/// captured, that is the legacy one beside a capture, or that is in another context than the
/// device's primary one, and none while all events are in use. A default stream where no context is
/// current is that of the primary one.
std::unique_ptr<LaunchTimer> make_cuda_launch_timer(std::shared_ptr<DriverDevice> device);

}  // namespace jitune::internal
