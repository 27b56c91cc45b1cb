// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compile/cuda_program.hpp"

#include <elf.h>

#include <cstring>

#include <fmt/format.h>

#include "backend/cuda/driver/device_memory.hpp"
#include "backend/cuda/launch/cuda_launch.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

/// The reason why the image cannot be loaded, or nullptr.
const char* flaw_of_cubin(const std::string& image) {
    Elf64_Ehdr header{};
    if (image.size() < sizeof header) {
        return "it is shorter than an ELF header";
    }
    std::memcpy(&header, image.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
        return "it is not an ELF file";
    }
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
        return "it is not a 64-bit little-endian ELF file";
    }
    if (header.e_machine != EM_CUDA) {
        return "it is an ELF file for another machine";
    }
    const auto table_fits = [&](std::uint64_t offset, std::uint64_t count, std::uint64_t size) {
        return offset <= image.size() && count * size <= image.size() - offset;
    };
    if (!table_fits(header.e_shoff, header.e_shnum, header.e_shentsize) ||
        !table_fits(header.e_phoff, header.e_phnum, header.e_phentsize)) {
        return "it is cut short";
    }
    return nullptr;
}

const char* flaw_of_ptx(const std::string& image) {
    if (image.empty() || image.back() != '\0') {
        return "its text does not end with NUL";
    }
    if (image.find('\0') != image.size() - 1) {
        return "its text has a NUL inside";
    }
    return image.find(".version") == std::string::npos ? "it has no .version directive" : nullptr;
}

constexpr std::string_view kLaunching = "launch a kernel";
constexpr std::string_view kLoading = "load a binary";

}  // namespace

void check_image(const std::string& format, const std::string& image) {
    const char* flaw = "its format is not known here";
    if (format == "cubin") {
        flaw = flaw_of_cubin(image);
    } else if (format == "ptx") {
        flaw = flaw_of_ptx(image);
    }
    if (flaw != nullptr) {
        throw Error(ErrorKind::device,
                    fmt::format("load a binary of format \"{}\" and {} bytes: {}; compile it again",
                                format, image.size(), flaw));
    }
}

CudaProgram::CudaProgram(std::shared_ptr<DriverDevice> device, const Binary& binary)
    : device_(std::move(device)),
      textures_(device_),
      library_(device_, device_->driver().cuLibraryUnload, "cuLibraryUnload") {
    check_image(binary.format, *binary.image);
    const ContextScope scope(*device_);
    device_->check(device_->driver().cuLibraryLoadData(library_.out(), binary.image->data(),
                                                       nullptr, nullptr, 0, nullptr, nullptr, 0),
                   "cuLibraryLoadData", kLoading);
    for (const std::string& symbol : binary.symbols) {
        entries_.push_back(find_entry(symbol));
    }
}

CudaProgram::Entry CudaProgram::find_entry(const std::string& symbol) const {
    const DriverTable& driver = device_->driver();
    const std::string tried = fmt::format("load kernel {}", symbol);
    Entry found;
    const CUresult result =
        driver.cuLibraryGetKernel(&found.kernel, library_.get(), symbol.c_str());
    if (result == CUDA_SUCCESS) {
        set_up(found.kernel, tried);
        return found;
    }
    CUdeviceptr address = 0;
    if (driver.cuLibraryGetGlobal(&address, &found.bytes, library_.get(), symbol.c_str()) !=
        CUDA_SUCCESS) {
        device_->check(result, "cuLibraryGetKernel", tried);
    }
    return {nullptr, symbol, found.bytes};
}

void CudaProgram::set_up(CUkernel kernel, const std::string& tried) const {
    const DriverTable& driver = device_->driver();
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
}

const CudaProgram::Entry& CudaProgram::entry(std::uint32_t index) const {
    if (index >= entries_.size()) [[unlikely]] {
        throw Error(ErrorKind::device, fmt::format("{}: entry {} of a binary with {}", kLaunching,
                                                   index, entries_.size()));
    }
    return entries_[index];
}

CUkernel CudaProgram::kernel(std::uint32_t index) const {
    const Entry& found = entry(index);
    if (found.kernel == nullptr) [[unlikely]] {
        throw Error(ErrorKind::device,
                    fmt::format("{}: {} is a constant", kLaunching, found.constant));
    }
    return found.kernel;
}

void CudaProgram::check_constant(std::uint32_t index, std::uint64_t bytes) const {
    const Entry& found = entry(index);
    if (found.bytes < bytes || found.constant.empty()) {
        throw Error(ErrorKind::device,
                    fmt::format("copy {} bytes into the constant {}, which has {}: make its array "
                                "as long as the argument's count",
                                bytes, found.constant, found.bytes));
    }
}

CUresult CudaProgram::copy_to_constant(const ConstantCopy& copy, const void* from,
                                       Stream stream) const {
    const DriverTable& driver = device_->driver();
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    // Each context has its own copy of the constant.
    const CUresult result = driver.cuLibraryGetGlobal(&address, &bytes, library_.get(),
                                                      entries_[copy.entry].constant.c_str());
    return result != CUDA_SUCCESS
               ? result
               : driver.cuMemcpyDtoDAsync(address, device_address(from), copy.bytes, stream);
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
