// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/cuda_program.hpp"

#include <fmt/format.h>

#include "backend/cuda/cuda_launch.hpp"
#include "backend/cuda/image_check.hpp"

namespace jitune::internal {
namespace {

constexpr std::string_view kLaunching = "launch a kernel";
constexpr std::string_view kLoading = "load a binary";

}  // namespace

CudaProgram::CudaProgram(std::shared_ptr<DriverDevice> device, const Binary& binary)
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
    if (entry >= kernels_.size()) [[unlikely]] {
        throw Error(ErrorKind::device, fmt::format("{}: entry {} of a binary with {}", kLaunching,
                                                   entry, kernels_.size()));
    }
    return kernels_[entry];
}

void CudaProgram::prepare(const Launch& launch, std::unique_ptr<ReadyLaunch>& ready) const {
    auto* ours = dynamic_cast<CudaLaunch*>(ready.get());
    auto made = ours == nullptr ? std::make_unique<CudaLaunch>() : nullptr;
    (made ? *made : *ours).set(*this, *device_, launch);
    if (made) {
        ready = std::move(made);
    }
}

CUresult CudaProgram::try_launch(const Launch& launch, Stream stream) const {
    CudaLaunch ready;
    ready.set(*this, *device_, launch);
    return ready.try_launch(arrays_of(launch).data(), stream);
}

}  // namespace jitune::internal
