// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/launch/cuda_stream_site.hpp"

#include <algorithm>
#include <bit>

#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/launch/capture.hpp"

namespace jitune::internal {
namespace {

constexpr int kHighest = -100;  // the driver takes the nearest that there is
constexpr const char* kMaking = "make a stream beside another";

constexpr std::size_t kSmallest = 256;
constexpr const char* kAllocating = "allocate scratch memory";

std::size_t rounded(std::size_t bytes) {
    return bytes == 0 ? 0 : std::bit_ceil(std::max(bytes, kSmallest));
}

std::unique_ptr<DeviceMemory> allocate(const std::shared_ptr<DriverDevice>& device,
                                       std::size_t bytes) {
    return bytes == 0 ? nullptr : allocate_device_memory(device, bytes, kAllocating);
}

void* data_of(const std::unique_ptr<DeviceMemory>& memory) {
    return memory == nullptr ? nullptr : memory->data();
}

}  // namespace

CudaSide::CudaSide(const std::shared_ptr<DriverDevice>& device, int priority)
    : stream_(device, &DriverTable::cuStreamDestroy),
      forked_(device, &DriverTable::cuEventDestroy),
      sent_(device, &DriverTable::cuEventDestroy),
      joined_(device, &DriverTable::cuEventDestroy) {
    const ContextScope scope(*device);
    CUcontext context = nullptr;
    device->call(&DriverTable::cuCtxGetCurrent, kMaking, &context);
    in_primary_ = device->keep_if_primary(context);
    device->call(&DriverTable::cuStreamCreateWithPriority, kMaking, stream_.out(),
                 CU_STREAM_NON_BLOCKING, priority);
    for (DriverHandle<CUevent>* event : {&forked_, &sent_, &joined_}) {
        device->call(&DriverTable::cuEventCreate, kMaking, event->out(), CU_EVENT_DISABLE_TIMING);
    }
}

CudaSide::~CudaSide() {
    if (!in_primary_) {
        stream_.leave();
        forked_.leave();
        sent_.leave();
        joined_.leave();
    }
}

struct CudaStreamSite::Block {
    Block(const std::shared_ptr<DriverDevice>& device, const ScratchNeed& need)
        : size(need),
          plain(allocate(device, need.plain)),
          zeroed(allocate(device, need.zeroed)),
          scratch{data_of(plain), data_of(zeroed)} {}

    ScratchNeed size;
    std::unique_ptr<DeviceMemory> plain, zeroed;
    Scratch scratch;
};

CudaStreamSite::CudaStreamSite(Device& backend, std::shared_ptr<DriverDevice> device, Stream stream)
    : StreamSite(backend), device_(std::move(device)), stream_(stream) {}

CudaStreamSite::~CudaStreamSite() = default;

const CudaStreamSite::Block* CudaStreamSite::current(const ScratchNeed& need) const {
    const Block* block = block_.load(std::memory_order_acquire);
    const bool covers =
        block != nullptr && block->size.plain >= need.plain && block->size.zeroed >= need.zeroed;
    return covers ? block : nullptr;
}

const CudaStreamSite::Block& CudaStreamSite::grow(const ScratchNeed& need) {
    const std::lock_guard lock(mutex_);
    if (const Block* block = current(need)) {
        return *block;
    }
    ScratchNeed size{rounded(need.plain), rounded(need.zeroed)};
    if (!blocks_.empty()) {
        const ScratchNeed& before = blocks_.back()->size;
        size = {std::max(size.plain, before.plain), std::max(size.zeroed, before.zeroed)};
    }
    const StreamContext own(device_->driver(), stream_);
    auto block = std::make_unique<Block>(device_, size);
    if (size.zeroed > 0) {
        const ContextScope scope(*device_);
        device_->call(&DriverTable::cuMemsetD8Async, "zero scratch memory",
                      device_address(block->scratch.zeroed), 0, size.zeroed, stream_);
    }
    blocks_.push_back(std::move(block));
    block_.store(blocks_.back().get(), std::memory_order_release);
    return *blocks_.back();
}

Scratch CudaStreamSite::scratch(const ScratchNeed& need) {
    if (need.plain == 0 && need.zeroed == 0) {
        return {};
    }
    const Block* block = current(need);
    if (block == nullptr) [[unlikely]] {
        block = &grow(need);
    }
    return block->scratch;
}

const CudaSide& CudaStreamSite::side(Beside which) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<const CudaSide>& side = sides_[static_cast<std::size_t>(which)];
    if (side == nullptr) {
        const StreamContext own(device_->driver(), stream_);
        side = std::make_unique<const CudaSide>(device_, which == Beside::captured ? 0 : kHighest);
    }
    return *side;
}

Scratch CudaCaptureSite::scratch(const ScratchNeed& need) {
    if (legacy_ || need.plain > 0 || need.zeroed > 0) {
        refuse_capture(kAllocating);
    }
    return {};
}

void CudaCaptureSite::refuse_capture(const char* what) const {
    refuse_captured(what);
}

}  // namespace jitune::internal
