// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/pinned_memory.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "backend/cuda/driver/driver_handle.hpp"

namespace jitune::internal {
namespace {

constexpr std::string_view kPageLock = "page-lock host memory";

class PinnedMemory final : public DeviceMemory {
public:
    PinnedMemory(const std::shared_ptr<DriverDevice>& device, std::size_t bytes)
        : memory_(device, device->driver().cuMemFreeHost, "cuMemFreeHost"), bytes_(bytes) {
        const ContextScope scope(*device);
        const CUresult result = device->driver().cuMemHostAlloc(
            memory_.out(), std::max<std::size_t>(bytes, 1), CU_MEMHOSTALLOC_PORTABLE);
        if (result == CUDA_ERROR_OUT_OF_MEMORY) {
            throw Error(ErrorKind::unavailable,
                        fmt::format("{}: cuMemHostAlloc of {} bytes: {}: free some memory, raise "
                                    "the process's limit of locked memory, or use the host",
                                    kPageLock, bytes, describe(device->driver(), result)),
                        native_code(result));
        }
        device->check(result, "cuMemHostAlloc", kPageLock);
    }

    [[nodiscard]] void* data() const override { return memory_.get(); }
    [[nodiscard]] std::size_t bytes() const override { return bytes_; }

private:
    DriverHandle<void*> memory_;
    std::size_t bytes_;
};

}  // namespace

std::unique_ptr<DeviceMemory> allocate_pinned_memory(const std::shared_ptr<DriverDevice>& device,
                                                     std::size_t bytes) {
    return std::make_unique<PinnedMemory>(device, bytes);
}

}  // namespace jitune::internal
