// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compile/cuda_program.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <atomic>

#include <fmt/format.h>

#include "backend/cuda/driver/context.hpp"
#include "backend/elf_section.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

/// The reason why the image cannot be loaded; empty if it can.
std::string_view flaw_of_cubin(std::string_view image) {
    if (const std::string_view flaw = flaw_of_elf(image, EM_CUDA); !flaw.empty()) {
        return flaw;
    }
    Elf64_Ehdr header{};
    read_at(image, 0, header);
    const bool is_whole =
        is_within(image, header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize) &&
        is_within(image, header.e_phoff, std::uint64_t{header.e_phnum} * header.e_phentsize);
    return is_whole ? "" : "it is cut short";
}

std::string_view flaw_of_ptx(std::string_view image) {
    if (image.empty() || image.back() != '\0') {
        return "its text does not end with NUL";
    }
    if (image.find('\0') != image.size() - 1) {
        return "its text has a NUL inside";
    }
    return image.find(".version") == std::string_view::npos ? "it has no .version directive" : "";
}

constexpr std::string_view kLaunching = "launch a kernel";
constexpr std::string_view kLoading = "load a binary";

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

/// The steps of a launch in the driver's own words, so that a call writes little more than the
/// stream and the pointers. Aligned so that what a call reads lies in few cache lines.
class alignas(64) CudaLaunch final : public ReadyLaunch {
public:
    CudaLaunch() : ReadyLaunch(call) {}

    /// Throws Error(device) if the program has no such entry, and Error(usage) if the device
    /// has no such texture objects; nothing has changed then.
    /// `program` and `device` must outlive the calls.
    void set(const CudaProgram& program, DriverDevice& device, const Launch& launch) {
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

    /// As ReadyLaunch's call, but the answer of cuLaunchKernelEx is a value. Throws Error(device)
    /// where the driver refuses to make a texture object.
    CUresult try_launch(void* const* arrays, Stream stream) const {
        const CUresult result = launch_all(arrays, stream);
        return result == CUDA_ERROR_INVALID_CONTEXT ? launch_in_primary_context(arrays, stream)
                                                    : result;
    }

private:
    static void call(const ReadyLaunch& self, void* const* arrays, Stream stream) {
        const auto& launch = static_cast<const CudaLaunch&>(self);
        if (!launch.launched_->load(std::memory_order_relaxed)) [[unlikely]] {
            launch.launched_->store(true, std::memory_order_relaxed);
        }
        const CUresult result = launch.launch_all(arrays, stream);
        if (result != CUDA_SUCCESS) [[unlikely]] {
            launch.recover(result, arrays, stream);
        }
    }

    CUresult launch_all(void* const* arrays, Stream stream) const {
        if ((constant_count_ | texture_count_) != 0) [[unlikely]] {
            return launch_prepared(arrays, stream);
        }
        return launch_steps(arrays, stream);
    }

    CUresult launch_steps(void* const* arrays, Stream stream) const {
        CUresult result = CUDA_SUCCESS;
        for (std::size_t i = 0; i < step_count_ && result == CUDA_SUCCESS; ++i) {
            result = steps_[i](launch_, arrays, stream);
        }
        return result;
    }

    [[gnu::noinline]] CUresult launch_prepared(void* const* arrays, Stream stream) const {
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

    CUresult copy_constants(void* const* arrays, Stream stream) const {
        CUresult result = CUDA_SUCCESS;
        for (std::size_t i = 0; i < constant_count_ && result == CUDA_SUCCESS; ++i) {
            result = program_->copy_to_constant(constants_[i], arrays[constants_[i].array], stream);
        }
        return result;
    }

    CUresult replace_textures(std::array<void*, kMaxArguments>& arrays) const {
        CUresult result = CUDA_SUCCESS;
        for (std::size_t i = 0; i < texture_count_ && result == CUDA_SUCCESS; ++i) {
            CUtexObject object = 0;
            void*& array = arrays[textures_[i].array];
            result = program_->textures().find(textures_[i], array, object);
            array = argument_of(object);
        }
        return result;
    }

    CUresult launch_in_primary_context(void* const* arrays, Stream stream) const {
        const ContextScope scope(*device_);
        return launch_all(arrays, stream);
    }

    // Call it if the first step failed, perhaps because no context is current. To ask for the
    // context before each launch would cost every launch.
    [[gnu::noinline]] void recover(CUresult result, void* const* arrays, Stream stream) const {
        if (result == CUDA_ERROR_INVALID_CONTEXT) {
            result = launch_in_primary_context(arrays, stream);
        }
        device_->check(result, "cuLaunchKernelEx", "launch a kernel");
    }

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

}  // namespace

void check_image(const std::string& format, const std::string& image) {
    const std::string_view flaw = format == "cubin" ? flaw_of_cubin(image)
                                  : format == "ptx" ? flaw_of_ptx(image)
                                                    : "its format is not known here";
    if (!flaw.empty()) {
        throw Error(ErrorKind::device,
                    fmt::format("load a binary of format \"{}\" and {} bytes: {}; compile it again",
                                format, image.size(), flaw));
    }
}

CudaProgram::CudaProgram(std::shared_ptr<DriverDevice> device, const Binary& binary)
    : device_(std::move(device)),
      textures_(device_),
      library_(device_, &DriverTable::cuLibraryUnload) {
    check_image(binary.format, *binary.image);
    const ContextScope scope(*device_);
    device_->call(&DriverTable::cuLibraryLoadData, kLoading, library_.out(), binary.image->data(),
                  nullptr, nullptr, 0, nullptr, nullptr, 0);
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
    int static_bytes = 0;
    device_->call(&DriverTable::cuKernelGetAttribute, tried, &static_bytes,
                  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel, device_->handle());
    const auto most = static_cast<int>(device_->attribute("shared_bytes_per_block"));
    device_->call(&DriverTable::cuKernelSetAttribute, tried,
                  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most - static_bytes, kernel,
                  device_->handle());
    // Loads the code into the context now: at the first launch it might meet a stream capture.
    CUfunction function = nullptr;
    device_->call(&DriverTable::cuKernelGetFunction, tried, &function, kernel);
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
