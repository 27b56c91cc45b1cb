#include "backend/cuda/stream_scratch.hpp"

#include <algorithm>
#include <bit>

#include "backend/cuda/capture.hpp"
#include "backend/cuda/context.hpp"
#include "backend/cuda/device_memory.hpp"

namespace jitune {
namespace {

constexpr std::size_t kSmallest = 256;

std::size_t rounded(std::size_t bytes) {
    return bytes == 0 ? 0 : std::bit_ceil(std::max(bytes, kSmallest));
}

bool covers(const ScratchNeed& size, const ScratchNeed& need) {
    return size.plain >= need.plain && size.zeroed >= need.zeroed;
}

ScratchNeed both(const ScratchNeed& a, const ScratchNeed& b) {
    return {std::max(a.plain, b.plain), std::max(a.zeroed, b.zeroed)};
}

}  // namespace

StreamScratch::~StreamScratch() = default;

StreamScratch::Entry* StreamScratch::find(std::uint64_t id) {
    Entry* entry = bucket(id).load(std::memory_order_acquire);
    while (entry != nullptr && entry->stream != id) {
        entry = entry->next;
    }
    return entry;
}

std::unique_ptr<StreamScratch::Block> StreamScratch::allocate(Stream stream,
                                                              const ScratchNeed& need) const {
    auto block = std::make_unique<Block>();
    block->size = {rounded(need.plain), rounded(need.zeroed)};
    if (need.plain > 0) {
        block->plain =
            allocate_device_memory(device_, block->size.plain, "allocate scratch memory");
    }
    if (need.zeroed > 0) {
        block->zeroed =
            allocate_device_memory(device_, block->size.zeroed, "allocate scratch memory");
        const ContextScope scope(*device_);
        device_->check(device_->driver().cuMemsetD8Async(device_address(block->zeroed->data()), 0,
                                                         block->size.zeroed, stream),
                       "cuMemsetD8Async", "zero scratch memory");
    }
    return block;
}

const StreamScratch::Block* StreamScratch::publish(std::uint64_t id, std::unique_ptr<Block> block) {
    const std::lock_guard lock(mutex_);
    blocks_.push_back(std::move(block));
    const Block* ours = blocks_.back().get();
    Entry* entry = find(id);
    if (entry == nullptr) {
        entries_.push_back(std::make_unique<Entry>());
        entry = entries_.back().get();
        entry->stream = id;
        entry->next = bucket(id).load(std::memory_order_relaxed);
        bucket(id).store(entry, std::memory_order_release);
    }
    const Block* theirs = entry->block.load(std::memory_order_relaxed);
    if (theirs == nullptr || covers(ours->size, theirs->size)) {
        entry->block.store(ours, std::memory_order_release);
    }
    return ours;
}

Scratch StreamScratch::get(Stream stream, const ScratchNeed& need) {
    refuse_capture(*device_, stream, "allocate scratch memory");
    const std::uint64_t id = stream_id(*device_, stream);
    const Entry* entry = find(id);
    const Block* block = entry == nullptr ? nullptr : entry->block.load(std::memory_order_acquire);
    if (block == nullptr || !covers(block->size, need)) {
        const ScratchNeed size = block == nullptr ? need : both(block->size, need);
        block = publish(id, allocate(stream, size));
    }
    return {.plain = block->plain ? block->plain->data() : nullptr,
            .zeroed = block->zeroed ? block->zeroed->data() : nullptr};
}

}  // namespace jitune
