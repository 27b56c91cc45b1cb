#include "backend/cuda/cuda_program.hpp"

#include <fmt/format.h>

#include "backend/cuda/image_check.hpp"

namespace jitune {
namespace {

constexpr std::string_view kLaunching = "launch a kernel";
constexpr std::string_view kLoading = "load a binary";

}  // namespace

CudaProgram::CudaProgram(std::shared_ptr<CudaDevice> device, const Binary& binary)
    : device_(std::move(device)),
      library_(device_, device_->driver().cuLibraryUnload, "cuLibraryUnload") {
    check_image(binary.format, *binary.image);
    const ContextScope scope(*device_);
    device_->check(device_->driver().cuLibraryLoadData(library_.out(), binary.image->data(),
                                                       nullptr, nullptr, 0, nullptr, nullptr, 0),
                   "cuLibraryLoadData", kLoading);
    for (const std::string& symbol : binary.symbols) {
        add_kernel(symbol);
    }
}

void CudaProgram::add_kernel(const std::string& symbol) {
    const DriverTable& driver = device_->driver();
    const std::string tried = fmt::format("load kernel {}", symbol);
    CUkernel kernel = nullptr;
    device_->check(driver.cuLibraryGetKernel(&kernel, library_.get(), symbol.c_str()),
                   "cuLibraryGetKernel", tried);
    int static_bytes = 0;
    device_->check(driver.cuKernelGetAttribute(&static_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                                               kernel, device_->handle()),
                   "cuKernelGetAttribute", tried);
    const auto most = static_cast<int>(device_->attribute("shared_bytes_per_block"));
    device_->check(driver.cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                               most - static_bytes, kernel, device_->handle()),
                   "cuKernelSetAttribute", tried);
    // Loads the code into the context now: at the first launch it might meet a stream capture.
    CUfunction function = nullptr;
    device_->check(driver.cuKernelGetFunction(&function, kernel), "cuKernelGetFunction", tried);
    kernels_.push_back(kernel);
}

CUkernel CudaProgram::kernel(std::uint32_t entry) const {
    if (entry >= kernels_.size()) {
        throw Error(ErrorKind::device, fmt::format("{}: entry {} of a binary with {}", kLaunching,
                                                   entry, kernels_.size()));
    }
    return kernels_[entry];
}

ArgumentPointers argument_pointers(const Launch& launch, const LaunchStep& step) {
    ArgumentPointers pointers{};
    for (std::size_t i = 0; i < step.argument_count; ++i) {
        pointers[i] = const_cast<std::uint64_t*>(&launch.cells[step.arguments[i]]);
    }
    return pointers;
}

CUresult CudaProgram::launch_step(const Launch& launch, const LaunchStep& step,
                                  Stream stream) const {
    ArgumentPointers arguments = argument_pointers(launch, step);
    return device_->driver().cuLaunchKernel(reinterpret_cast<CUfunction>(kernel(step.entry)),
                                            step.grid.x, step.grid.y, step.grid.z, step.block.x,
                                            step.block.y, step.block.z, step.shared_bytes, stream,
                                            arguments.data(), nullptr);
}

CUresult CudaProgram::try_launch(const Launch& launch, Stream stream) const {
    for (std::size_t i = 0; i < launch.step_count; ++i) {
        CUresult result = launch_step(launch, launch.steps[i], stream);
        if (result == CUDA_ERROR_INVALID_CONTEXT) {
            // No context is current: asking first would cost every other launch.
            const ContextScope scope(*device_);
            result = launch_step(launch, launch.steps[i], stream);
        }
        if (result != CUDA_SUCCESS) {
            return result;
        }
    }
    return CUDA_SUCCESS;
}

void CudaProgram::launch(const Launch& launch, Stream stream) const {
    device_->check(try_launch(launch, stream), "cuLaunchKernel", kLaunching);
}

}  // namespace jitune
