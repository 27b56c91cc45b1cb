#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cuda/cuda_device.hpp"

namespace jitune {

/// Work memory, one block per stream. A block that has become too small is kept to the end: work
/// in flight may still use it, and sizes are powers of two, so that all of a stream's together
/// take less than twice its largest. Thread-safe; get() takes no lock unless it allocates.
class StreamScratch {
public:
    explicit StreamScratch(std::shared_ptr<CudaDevice> device) : device_(std::move(device)) {}
    ~StreamScratch();
    StreamScratch(const StreamScratch&) = delete;
    StreamScratch& operator=(const StreamScratch&) = delete;

    /// See Backend::stream_scratch.
    Scratch get(Stream stream, const ScratchNeed& need);

private:
    struct Block {
        ScratchNeed size;
        std::unique_ptr<DeviceMemory> plain;
        std::unique_ptr<DeviceMemory> zeroed;
    };
    struct Entry {
        std::uint64_t stream = 0;
        std::atomic<const Block*> block{nullptr};
        Entry* next = nullptr;
    };

    [[nodiscard]] std::atomic<Entry*>& bucket(std::uint64_t id) {
        return buckets_[id % buckets_.size()];
    }
    Entry* find(std::uint64_t id);
    [[nodiscard]] std::unique_ptr<Block> allocate(Stream stream, const ScratchNeed& need) const;
    const Block* publish(std::uint64_t id, std::unique_ptr<Block> block);

    std::shared_ptr<CudaDevice> device_;
    // Entries are added in front and never change their place: readers need no lock.
    std::array<std::atomic<Entry*>, 1024> buckets_{};
    std::mutex mutex_;  // guards what follows, and additions to the buckets
    std::vector<std::unique_ptr<Entry>> entries_;
    std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace jitune
