// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/context.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace jitune::internal {
namespace {

bool has_current_context(const DriverDevice& device) {
    constexpr std::string_view tried = "find the current context";
    CUcontext context = nullptr;
    device.call(&DriverTable::cuCtxGetCurrent, tried, &context);
    if (context == nullptr) {
        return false;
    }
    CUdevice handle = 0;
    device.call(&DriverTable::cuCtxGetDevice, tried, &handle);
    return handle == device.handle();
}

class CudaMemory final : public DeviceMemory {
public:
    CudaMemory(const std::shared_ptr<DriverDevice>& device, std::size_t bytes,
               std::string_view purpose)
        : memory_(device, &DriverTable::cuMemFree), bytes_(bytes) {
        const ContextScope scope(*device);
        const CUresult result =
            device->driver().cuMemAlloc(memory_.out(), std::max<std::size_t>(bytes, 1));
        if (result == CUDA_ERROR_OUT_OF_MEMORY) {
            refuse(*device, purpose);
        }
        device->check(result, "cuMemAlloc", purpose);
    }

    [[nodiscard]] void* data() const override {
        return reinterpret_cast<void*>(static_cast<std::uintptr_t>(memory_.get()));
    }
    [[nodiscard]] std::size_t bytes() const override { return bytes_; }

private:
    [[noreturn]] void refuse(const DriverDevice& device, std::string_view purpose) const {
        std::size_t free = 0;
        std::size_t total = 0;
        device.call(&DriverTable::cuMemGetInfo, purpose, &free, &total);
        throw Error(
            ErrorKind::unavailable,
            fmt::format("{}: cuMemAlloc of {} bytes: {}; {} of {} bytes of {} are free: "
                        "free some, or use another device",
                        purpose, bytes_, describe(device.driver(), CUDA_ERROR_OUT_OF_MEMORY), free,
                        total, device.info().id),
            native_code(CUDA_ERROR_OUT_OF_MEMORY));
    }

    DriverHandle<CUdeviceptr> memory_;
    std::size_t bytes_;
};

}  // namespace

void PushedContext::push(const DriverTable& driver, CUcontext context, std::string_view tried) {
    call(driver, &DriverTable::cuCtxPushCurrent, tried, context);
    driver_ = &driver;
}

void PushedContext::pop() noexcept {
    if (is_pushed()) {
        CUcontext ours = nullptr;
        driver_->cuCtxPopCurrent(&ours);  // fails only where another has popped it
        driver_ = nullptr;
    }
}

ContextScope::ContextScope(DriverDevice& device, bool primary) : device_(device) {
    constexpr std::string_view tried = "make the device's context current";
    if (primary || !has_current_context(device)) {
        pushed_.push(device.driver(), device.primary_context(), tried);
    }
    device.call(&DriverTable::cuThreadExchangeStreamCaptureMode, tried, &mode_);
}

ContextScope::~ContextScope() {
    device_.try_call(&DriverTable::cuThreadExchangeStreamCaptureMode, &mode_);
}

StreamContext::StreamContext(const DriverTable& driver, Stream stream) {
    constexpr std::string_view tried = "use the context of a stream";
    CUcontext context = nullptr;
    const CUresult result = driver.cuStreamGetCtx(stream, &context);
    if (result == CUDA_ERROR_INVALID_CONTEXT) {
        return;  // a default stream, and none is current
    }
    check(driver, result, "cuStreamGetCtx", tried);
    pushed_.push(driver, context, tried);
}

std::shared_ptr<StreamHandle> make_stream(const std::shared_ptr<DriverDevice>& device) {
    const ContextScope scope(*device);
    auto stream = std::make_shared<StreamHandle>(device, &DriverTable::cuStreamDestroy);
    device->call(&DriverTable::cuStreamCreate, "make a stream", stream->out(),
                 CU_STREAM_NON_BLOCKING);
    return stream;
}

std::unique_ptr<DeviceMemory> allocate_device_memory(const std::shared_ptr<DriverDevice>& device,
                                                     std::size_t bytes, std::string_view purpose) {
    return std::make_unique<CudaMemory>(device, bytes, purpose);
}

}  // namespace jitune::internal
