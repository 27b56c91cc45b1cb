// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/cuda_launch.hpp"

#include "backend/cuda/context.hpp"
#include "backend/cuda/cuda_program.hpp"

namespace jitune::internal {

void CudaLaunch::set(const CudaProgram& program, DriverDevice& device, const Launch& launch) {
    std::array<CUkernel, kMaxLaunchSteps> kernels{};
    for (std::size_t i = 0; i < launch.step_count; ++i) {
        kernels[i] = program.kernel(launch.steps[i].entry);
    }
    for (std::size_t i = 0; i < launch.constant_count; ++i) {
        program.check_constant(launch.constants[i].entry, launch.constants[i].bytes);
    }
    device_ = &device;
    program_ = &program;
    constant_count_ = launch.constant_count;
    constants_ = launch.constants;
    launch_ = device.driver().cuLaunchKernelEx;
    cells_ = launch.cells;
    step_count_ = static_cast<std::uint32_t>(launch.step_count);
    for (std::size_t i = 0; i < step_count_; ++i) {
        steps_[i].set(kernels[i], launch, launch.steps[i], cells_);
    }
}

inline CUresult CudaLaunch::launch_steps(void* const* arrays, Stream stream) const {
    CUresult result = CUDA_SUCCESS;
    if (constant_count_ != 0) [[unlikely]] {
        result = copy_constants(arrays, stream);
    }
    for (std::size_t i = 0; i < step_count_ && result == CUDA_SUCCESS; ++i) {
        result = steps_[i](launch_, arrays, stream);
    }
    return result;
}

CUresult CudaLaunch::copy_constants(void* const* arrays, Stream stream) const {
    CUresult result = CUDA_SUCCESS;
    for (std::size_t i = 0; i < constant_count_ && result == CUDA_SUCCESS; ++i) {
        result = program_->copy_to_constant(constants_[i], arrays[constants_[i].array], stream);
    }
    return result;
}

CUresult CudaLaunch::launch_in_primary_context(void* const* arrays, Stream stream) const {
    const ContextScope scope(*device_);
    return launch_steps(arrays, stream);
}

CUresult CudaLaunch::try_launch(void* const* arrays, Stream stream) const {
    const CUresult result = launch_steps(arrays, stream);
    return result == CUDA_ERROR_INVALID_CONTEXT ? launch_in_primary_context(arrays, stream)
                                                : result;
}

// No context may be current, which the first step met: asking first would cost every other launch.
void CudaLaunch::recover(CUresult result, void* const* arrays, Stream stream) const {
    if (result == CUDA_ERROR_INVALID_CONTEXT) {
        result = launch_in_primary_context(arrays, stream);
    }
    device_->check(result, "cuLaunchKernelEx", "launch a kernel");
}

void CudaLaunch::call(const ReadyLaunch& self, void* const* arrays, Stream stream) {
    const auto& launch = static_cast<const CudaLaunch&>(self);
    const CUresult result = launch.launch_steps(arrays, stream);
    if (result != CUDA_SUCCESS) [[unlikely]] {
        launch.recover(result, arrays, stream);
    }
}

}  // namespace jitune::internal
