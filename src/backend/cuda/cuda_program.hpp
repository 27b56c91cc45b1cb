#pragma once

#include <array>
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

    void launch(const Launch& launch, Stream stream) const override;

    /// As launch(), but the answer of cuLaunchKernel is a value. Stops at the first step that
    /// fails.
    CUresult try_launch(const Launch& launch, Stream stream) const;

    /// Throws Error(device) where the program has no such entry.
    [[nodiscard]] CUkernel kernel(std::uint32_t entry) const;

private:
    void add_kernel(const std::string& symbol);
    [[nodiscard]] CUresult launch_step(const Launch& launch, const LaunchStep& step,
                                       Stream stream) const;

    std::shared_ptr<CudaDevice> device_;
    DriverHandle<CUlibrary> library_;
    std::vector<CUkernel> kernels_;
};

using ArgumentPointers = std::array<void*, kMaxArguments>;

/// Where the driver finds the arguments of `step`, as cuLaunchKernel wants them; null after the
/// last. Valid as long as `launch`.
ArgumentPointers argument_pointers(const Launch& launch, const LaunchStep& step);

}  // namespace jitune
