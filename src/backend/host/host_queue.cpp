// SPDX-License-Identifier: Apache-2.0
#include "backend/host/host_queue.hpp"

#include <cstring>

#include "backend/device.hpp"
#include "backend/host/host_memory.hpp"

namespace jitune::internal {

std::unique_ptr<DeviceMemory> HostQueue::allocate(std::size_t bytes) {
    return std::make_unique<HostMemory>(bytes, HostMemory::Content::any);
}

std::unique_ptr<DeviceMemory> HostQueue::allocate_staging(std::size_t bytes) {
    return allocate(bytes);
}

void HostQueue::upload(void* device, std::span<const std::byte> data) {
    if (!data.empty()) {
        std::memcpy(device, data.data(), data.size());
    }
}

void HostQueue::download(std::span<std::byte> data, const void* device) {
    if (!data.empty()) {
        std::memcpy(data.data(), device, data.size());
    }
}

void HostQueue::fill_zero(void* device, std::size_t bytes) {
    std::memset(device, 0, bytes);
}

void HostQueue::launch(const ReadyLaunch& launch, void* const* arrays) {
    launch(arrays, nullptr);
}

}  // namespace jitune::internal
