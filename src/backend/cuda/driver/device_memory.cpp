// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/device_memory.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "backend/cuda/driver/context.hpp"

namespace jitune::internal {
namespace {

class CudaMemory final : public DeviceMemory {
public:
    CudaMemory(const std::shared_ptr<DriverDevice>& device, std::size_t bytes,
               std::string_view purpose)
        : memory_(device, device->driver().cuMemFree, "cuMemFree"), bytes_(bytes) {
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
        device.check(device.driver().cuMemGetInfo(&free, &total), "cuMemGetInfo", purpose);
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

std::unique_ptr<DeviceMemory> allocate_device_memory(const std::shared_ptr<DriverDevice>& device,
                                                     std::size_t bytes, std::string_view purpose) {
    return std::make_unique<CudaMemory>(device, bytes, purpose);
}

}  // namespace jitune::internal
