// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cuda.h>

#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/driver/driver_device.hpp"
#include "backend/cuda/launch/cuda_textures.hpp"
#include "backend/device.hpp"
#include "backend/launch.hpp"

namespace jitune::internal {

/// Throws Error(device) unless `image` is what `format` says: "cubin" a 64-bit ELF file for CUDA,
/// "ptx" a text that ends with its NUL. The driver would read past the end of a shorter image.
void check_image(const std::string& format, const std::string& image);

/// A library of the driver's. It is bound to no context, and loaded into each when it is first
/// launched there. Unloaded with this object and never before.
class CudaProgram final : public Program {
public:
    /// Throws Error(device).
    CudaProgram(std::shared_ptr<DriverDevice> device, const Binary& binary);

    void prepare(const Launch& launch, std::unique_ptr<ReadyLaunch>& ready) const override;

    /// Enqueues every step up to the first that fails: the answer of cuLaunchKernelEx. The arrays
    /// are in the cells. Throws Error(device) if the program has no such entry.
    CUresult try_launch(const Launch& launch, Stream stream) const;

    /// Throws Error(device) if the program has no such entry.
    [[nodiscard]] CUkernel kernel(std::uint32_t entry) const;

    /// Throws Error(device) unless the entry is a constant of at least `bytes` bytes.
    void check_constant(std::uint32_t entry, std::uint64_t bytes) const;
    /// Enqueues a copy of device memory into the constant, in the current context.
    CUresult copy_to_constant(const ConstantCopy& copy, const void* from, Stream stream) const;

    [[nodiscard]] const CudaTextures& textures() const { return textures_; }

private:
    /// A kernel, or a constant by its symbol.
    struct Entry {
        CUkernel kernel = nullptr;
        std::string constant = {};
        std::size_t bytes = 0;
    };

    Entry find_entry(const std::string& symbol) const;
    void set_up(CUkernel kernel, const std::string& tried) const;
    [[nodiscard]] const Entry& entry(std::uint32_t index) const;

    std::shared_ptr<DriverDevice> device_;
    CudaTextures textures_;  // outlives the code that reads them
    DriverHandle<CUlibrary> library_;
    std::vector<Entry> entries_;
};

}  // namespace jitune::internal
