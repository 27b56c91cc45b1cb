#pragma once

#include <memory>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cuda/driver_handle.hpp"

namespace jitune {

/// A library of the driver's: bound to no context, loaded into each when first launched there.
/// Unloaded with this object and never before.
class CudaProgram final : public Program {
public:
    /// Throws Error(device).
    CudaProgram(std::shared_ptr<CudaDevice> device, const Binary& binary);

    void launch_on(const Launch& launch, std::span<void* const> arrays,
                   Stream stream) const override;

    /// As launch() and launch_on(), but the answer of cuLaunchKernelEx is a value. Stop at the
    /// first step that fails.
    CUresult try_launch(const Launch& launch, Stream stream) const {
        return try_launch_on(launch, {}, stream);
    }
    CUresult try_launch_on(const Launch& launch, std::span<void* const> arrays,
                           Stream stream) const;

    /// Throws Error(device) where the program has no such entry.
    [[nodiscard]] CUkernel kernel(std::uint32_t entry) const;

private:
    void add_kernel(const std::string& symbol);
    [[nodiscard]] CUresult launch_steps(const Launch& launch, Cells& cells, Stream stream) const;

    std::shared_ptr<CudaDevice> device_;
    decltype(&::cuLaunchKernelEx) launch_;  // of the driver: one step nearer
    DriverHandle<CUlibrary> library_;
    std::vector<CUkernel> kernels_;
};

}  // namespace jitune
