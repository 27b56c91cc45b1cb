// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "backend/cuda/compile/cuda_compiler.hpp"
#include "backend/cuda/compile/cuda_program.hpp"

namespace jitune::internal {

/// The code of the service kernels: of jitune::<name> for each cuda/<name>.cu of
/// embedded::cuda_kernels. The first caller compiles all of them as one program, which takes less
/// time than one program for each. Thread-safe.
class ServiceCode {
public:
    ServiceCode(std::shared_ptr<CudaCompiler> compiler, int compute_capability)
        : compiler_(std::move(compiler)), compute_capability_(compute_capability) {}

    /// Throws Error(unavailable) if there is no NVRTC, or it has nothing for the device, and
    /// Error(compile) with its log.
    Binary binary(std::string_view name);

private:
    using Binaries = std::map<std::string, Binary, std::less<>>;  ///< by the kernel's name
    [[nodiscard]] Binaries compile() const;

    std::shared_ptr<CudaCompiler> compiler_;
    int compute_capability_;
    std::mutex mutex_;  // held while they are compiled: others would have to compile the same
    Binaries binaries_;
};

/// A kernel that the backend needs for itself, with blocks enough to fill the device.
class ServiceKernel {
public:
    /// Throws as ServiceCode::binary() does, and Error(device).
    ServiceKernel(const std::shared_ptr<DriverDevice>& device, ServiceCode& code,
                  std::string_view name);

    /// Launches with these arguments, pointers and scalars of at most 8 bytes; at most
    /// kMaxArguments of them. A context of the device must be current.
    CUresult enqueue(std::initializer_list<std::uint64_t> arguments, Stream stream) const;

private:
    CudaProgram program_;
    Launch launch_{};  ///< but for its arguments
};

}  // namespace jitune::internal
