// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/launch/cuda_queue.hpp"

#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/driver/device_memory.hpp"
#include "backend/cuda/driver/pinned_memory.hpp"
#include "backend/cuda/measure/cuda_bench.hpp"

namespace jitune::internal {

namespace {

std::shared_ptr<StreamHandle> make_own_stream(const std::shared_ptr<DriverDevice>& device) {
    const ContextScope scope(*device, ContextScope::Primary());
    return make_stream(device);
}

}  // namespace

CudaQueue::CudaQueue(std::shared_ptr<DriverDevice> device)
    : device_(std::move(device)), stream_(make_own_stream(device_)) {}

CudaQueue::~CudaQueue() {
    if (!device_->abandoned()) {
        device_->report(device_->driver().cuStreamSynchronize(stream_->get()),
                        "cuStreamSynchronize");
    }
}

std::unique_ptr<DeviceMemory> CudaQueue::allocate(std::size_t bytes) {
    const ContextScope scope(*device_, ContextScope::Primary());
    return allocate_device_memory(device_, bytes, "allocate memory for host data");
}

std::unique_ptr<DeviceMemory> CudaQueue::allocate_staging(std::size_t bytes) {
    const ContextScope scope(*device_, ContextScope::Primary());
    return allocate_pinned_memory(device_, bytes);
}

void CudaQueue::upload(void* device, std::span<const std::byte> data) {
    const ContextScope scope(*device_, ContextScope::Primary());
    device_->check(device_->driver().cuMemcpyHtoDAsync(device_address(device), data.data(),
                                                       data.size(), stream_->get()),
                   "cuMemcpyHtoDAsync", "upload host data");
}

void CudaQueue::download(std::span<std::byte> data, const void* device) {
    const ContextScope scope(*device_, ContextScope::Primary());
    device_->check(device_->driver().cuMemcpyDtoHAsync(data.data(), device_address(device),
                                                       data.size(), stream_->get()),
                   "cuMemcpyDtoHAsync", "download results");
}

void CudaQueue::fill_zero(void* device, std::size_t bytes) {
    const ContextScope scope(*device_, ContextScope::Primary());
    device_->check(
        device_->driver().cuMemsetD8Async(device_address(device), 0, bytes, stream_->get()),
        "cuMemsetD8Async", "zero memory");
}

void CudaQueue::launch(const ReadyLaunch& launch, void* const* arrays) {
    const ContextScope scope(*device_, ContextScope::Primary());
    launch(arrays, stream_->get());
}

void CudaQueue::wait() {
    device_->check(device_->driver().cuStreamSynchronize(stream_->get()), "cuStreamSynchronize",
                   "wait for work on host data");
}

}  // namespace jitune::internal
