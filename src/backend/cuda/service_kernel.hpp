// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "backend/cuda/cuda_program.hpp"
#include "backend/cuda/nvrtc_table.hpp"

namespace jitune::internal {

/// Compiles the kernel jitune::<name> of cuda/<name>.cu, one of embedded::cuda_kernels, for
/// `compute_capability`. Throws Error(unavailable) where NVRTC has nothing for the device,
/// Error(compile) with its log.
Binary compile_service_kernel(const NvrtcTable& nvrtc, std::string_view name,
                              int compute_capability);

/// A kernel that the backend needs for itself, with blocks enough to fill the device.
class ServiceKernel {
public:
    /// Compiles it. Throws as compile_service_kernel() does, and Error(device).
    ServiceKernel(const std::shared_ptr<DriverDevice>& device, const NvrtcTable& nvrtc,
                  std::string_view name);

    /// Launches with these arguments, pointers and scalars of at most 8 bytes; at most
    /// kMaxArguments of them. In a current context of the device.
    CUresult enqueue(std::initializer_list<std::uint64_t> arguments, Stream stream) const;

private:
    CudaProgram program_;
    Launch launch_{};  ///< but for its arguments
};

}  // namespace jitune::internal
