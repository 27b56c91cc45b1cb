// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/launch/cuda_launch.hpp"

#include <algorithm>

#include "backend/cuda/compile/cuda_program.hpp"
#include "backend/cuda/driver/context.hpp"

namespace jitune::internal {

void CudaLaunch::set(const CudaProgram& program, DriverDevice& device, const Launch& launch) {
    std::array<CUkernel, kMaxLaunchSteps> kernels{};
    for (std::size_t i = 0; i < launch.step_count; ++i) {
        kernels[i] = program.kernel(launch.steps[i].entry);
    }
    for (std::size_t i = 0; i < launch.constant_count; ++i) {
        program.check_constant(launch.constants[i].entry, launch.constants[i].bytes);
    }
    for (std::size_t i = 0; i < launch.texture_count; ++i) {
        program.textures().check(launch.textures[i]);
    }
    device_ = &device;
    program_ = &program;
    constant_count_ = launch.constant_count;
    constants_ = launch.constants;
    texture_count_ = launch.texture_count;
    std::copy_n(launch.textures.begin(), texture_count_, textures_.begin());
    array_count_ = launch.array_count;
    launch_ = device.driver().cuLaunchKernelEx;
    launched_ = &device.launched();
    cells_ = launch.cells;
    step_count_ = static_cast<std::uint32_t>(launch.step_count);
    for (std::size_t i = 0; i < step_count_; ++i) {
        steps_[i].set(kernels[i], launch, launch.steps[i], cells_);
    }
}

inline CUresult CudaLaunch::launch_steps(void* const* arrays, Stream stream) const {
    CUresult result = CUDA_SUCCESS;
    for (std::size_t i = 0; i < step_count_ && result == CUDA_SUCCESS; ++i) {
        result = steps_[i](launch_, arrays, stream);
    }
    return result;
}

inline CUresult CudaLaunch::launch_all(void* const* arrays, Stream stream) const {
    if ((constant_count_ | texture_count_) != 0) [[unlikely]] {
        return launch_prepared(arrays, stream);
    }
    return launch_steps(arrays, stream);
}

CUresult CudaLaunch::launch_prepared(void* const* arrays, Stream stream) const {
    // Constants and texture objects are those of a context: the stream's, whichever is current.
    const StreamContext of_stream(device_->driver(), stream);
    std::array<void*, kMaxArguments> passed;
    std::copy_n(arrays, array_count_, passed.begin());
    CUresult result = copy_constants(arrays, stream);
    if (result == CUDA_SUCCESS) {
        result = replace_textures(passed);
    }
    return result == CUDA_SUCCESS ? launch_steps(passed.data(), stream) : result;
}

CUresult CudaLaunch::copy_constants(void* const* arrays, Stream stream) const {
    CUresult result = CUDA_SUCCESS;
    for (std::size_t i = 0; i < constant_count_ && result == CUDA_SUCCESS; ++i) {
        result = program_->copy_to_constant(constants_[i], arrays[constants_[i].array], stream);
    }
    return result;
}

CUresult CudaLaunch::replace_textures(std::array<void*, kMaxArguments>& arrays) const {
    CUresult result = CUDA_SUCCESS;
    for (std::size_t i = 0; i < texture_count_ && result == CUDA_SUCCESS; ++i) {
        CUtexObject object = 0;
        void*& array = arrays[textures_[i].array];
        result = program_->textures().find(textures_[i], array, object);
        array = argument_of(object);
    }
    return result;
}

CUresult CudaLaunch::launch_in_primary_context(void* const* arrays, Stream stream) const {
    const ContextScope scope(*device_);
    return launch_all(arrays, stream);
}

CUresult CudaLaunch::try_launch(void* const* arrays, Stream stream) const {
    const CUresult result = launch_all(arrays, stream);
    return result == CUDA_ERROR_INVALID_CONTEXT ? launch_in_primary_context(arrays, stream)
                                                : result;
}

// Call it if the first step failed, perhaps because no context is current. To ask for the context
// before each launch would cost every launch.
void CudaLaunch::recover(CUresult result, void* const* arrays, Stream stream) const {
    if (result == CUDA_ERROR_INVALID_CONTEXT) {
        result = launch_in_primary_context(arrays, stream);
    }
    device_->check(result, "cuLaunchKernelEx", "launch a kernel");
}

void CudaLaunch::call(const ReadyLaunch& self, void* const* arrays, Stream stream) {
    const auto& launch = static_cast<const CudaLaunch&>(self);
    if (!launch.launched_->load(std::memory_order_relaxed)) [[unlikely]] {
        launch.launched_->store(true, std::memory_order_relaxed);
    }
    const CUresult result = launch.launch_all(arrays, stream);
    if (result != CUDA_SUCCESS) [[unlikely]] {
        launch.recover(result, arrays, stream);
    }
}

}  // namespace jitune::internal
