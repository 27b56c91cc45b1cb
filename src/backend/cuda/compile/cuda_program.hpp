// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
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

/// One step of a launch as cuLaunchKernelEx wants it, but for the stream and the arrays. Points
/// into itself.
class DriverCall {
public:
    DriverCall() = default;
    DriverCall(const DriverCall&) = delete;
    DriverCall& operator=(const DriverCall&) = delete;

    /// As ArgumentList::set.
    void set(CUkernel kernel, const Launch& launch, const LaunchStep& step, Cells& cells) {
        function_ = reinterpret_cast<CUfunction>(kernel);
        arguments_.set(launch, step, cells);
        config_ = {step.grid.x,  step.grid.y,       step.grid.z, step.block.x, step.block.y,
                   step.block.z, step.shared_bytes, nullptr,     nullptr,      0};
        config_.attrs = attributes_.data();
        if (step.cluster > 1) {
            CUlaunchAttribute& attribute = attributes_[config_.numAttrs++];
            attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
            attribute.value.clusterDim = {step.cluster, 1, 1};
        }
        if (step.cooperative != 0) {
            CUlaunchAttribute& attribute = attributes_[config_.numAttrs++];
            attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
            attribute.value.cooperative = 1;
        }
        if (step.programmatic != 0) {
            CUlaunchAttribute& attribute = attributes_[config_.numAttrs++];
            attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
            attribute.value.programmaticStreamSerializationAllowed = 1;
        }
    }

    CUresult operator()(decltype(&::cuLaunchKernelEx) launch, void* const* arrays,
                        Stream stream) const {
        CUlaunchConfig config = config_;
        config.hStream = stream;
        ArgumentList::Addresses arguments;
        arguments_.fill(arguments, arrays);
        return launch(&config, function_, arguments.data(), nullptr);
    }

private:
    CUfunction function_ = nullptr;
    CUlaunchConfig config_{};
    ArgumentList arguments_;
    std::array<CUlaunchAttribute, 3> attributes_;
};

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
    /// if the driver refuses to make a texture object.
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
    std::array<DriverCall, kMaxLaunchSteps> steps_;
    Cells cells_{};
    DriverDevice* device_ = nullptr;
    const CudaProgram* program_ = nullptr;
    std::array<ConstantCopy, kMaxConstants> constants_;
    std::array<TextureView, kMaxTextures> textures_;
    std::uint8_t array_count_ = 0;
};

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
