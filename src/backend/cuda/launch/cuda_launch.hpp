// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>

#include "backend/cuda/driver/driver_device.hpp"
#include "backend/cuda/launch/kernel_call.hpp"

namespace jitune::internal {

class CudaProgram;

/// The steps of a launch in the driver's own words, so that a call writes little more than the
/// stream and the pointers. Aligned so that what a call reads lies in few cache lines.
class alignas(64) CudaLaunch final : public ReadyLaunch {
public:
    CudaLaunch() : ReadyLaunch(call) {}

    /// Throws Error(device) if the program has no such entry, and Error(usage) if the device
    /// has no such texture objects; nothing has changed then.
    /// `program` and `device` must outlive the calls.
    void set(const CudaProgram& program, DriverDevice& device, const Launch& launch);

    /// As ReadyLaunch's call, but the answer of cuLaunchKernelEx is a value. Throws Error(device)
    /// where the driver refuses to make a texture object.
    CUresult try_launch(void* const* arrays, Stream stream) const;

private:
    static void call(const ReadyLaunch& self, void* const* arrays, Stream stream);
    CUresult launch_all(void* const* arrays, Stream stream) const;
    CUresult launch_prepared(void* const* arrays, Stream stream) const;
    CUresult launch_steps(void* const* arrays, Stream stream) const;
    CUresult copy_constants(void* const* arrays, Stream stream) const;
    CUresult replace_textures(std::array<void*, kMaxArguments>& arrays) const;
    CUresult launch_in_primary_context(void* const* arrays, Stream stream) const;
    void recover(CUresult result, void* const* arrays, Stream stream) const;

    decltype(&::cuLaunchKernelEx) launch_ = nullptr;
    std::atomic<bool>* launched_ = nullptr;
    std::uint32_t step_count_ = 0;
    std::uint16_t constant_count_ = 0, texture_count_ = 0;
    std::array<KernelCall, kMaxLaunchSteps> steps_;
    Cells cells_{};
    DriverDevice* device_ = nullptr;
    const CudaProgram* program_ = nullptr;
    std::array<ConstantCopy, kMaxConstants> constants_;
    std::array<TextureView, kMaxTextures> textures_;
    std::uint8_t array_count_ = 0;
};

}  // namespace jitune::internal
