// SPDX-License-Identifier: Apache-2.0
#include "spread/host_pipeline.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "jitune/error.hpp"
#include "spread/streaming_copy.hpp"

namespace jitune::internal {

namespace {

// If memory for a chunk of this size cannot be had, smaller chunks are not tried.
constexpr std::size_t kSmallChunk = std::size_t{64} << 10;
// The most memory that a slot keeps from one call to the next.
constexpr std::size_t kMostKept = std::size_t{64} << 20;
// From this chunk size on, results no longer fit into the caches until they are read.
constexpr std::size_t kBeyondCaches = std::size_t{768} << 10;

using Memory = std::unique_ptr<DeviceMemory>;

/// Frees memory that is too small before it allocates. True if the memory is new.
template <class Allocate>
bool reserve(Memory& memory, std::size_t bytes, const Allocate& allocate) {
    if (memory != nullptr && memory->bytes() >= bytes) {
        return false;
    }
    memory.reset();
    memory = allocate(std::max<std::size_t>(bytes, 1));
    return true;
}

/// The share that each thread works for: all shares in turn, so that few chunks are spread over all
/// devices.
std::vector<const DeviceShare*> seats_of(std::span<const DeviceShare> shares, std::size_t most) {
    std::vector<const DeviceShare*> seats;
    for (int slot = 0; seats.size() < most; ++slot) {
        const std::size_t before = seats.size();
        for (const DeviceShare& share : shares) {
            if (slot < share.slots && seats.size() < most) {
                seats.push_back(&share);
            }
        }
        if (seats.size() == before) {
            break;
        }
    }
    return seats;
}

}  // namespace

/// A stream with staging and device memory for one chunk at a time. Used by one thread at a time.
class PipelineSlot {
public:
    explicit PipelineSlot(Device& device) : queue_(device.make_queue()) {}

    /// Returns when the chunk's results are in its target. Throws as HostPipeline::run does.
    void run(const Resolved& kernel, const HostWork& work, const Chunk& chunk, Staging staging);

    /// The memory that it holds, on the device and page-locked.
    [[nodiscard]] std::size_t bytes() const;

private:
    void copy_in(const HostWork& work, const Chunk& chunk, Staging staging);
    void launch(const Resolved& kernel, const HostWork& work, const Chunk& chunk);
    void copy_out(const Chunk& chunk, Staging staging);

    std::unique_ptr<ReadyLaunch> ready_;  // kept for its memory alone
    Memory staged_input_, staged_output_, input_, output_, plain_, zeroed_;
    std::unique_ptr<Queue>
        queue_;  // the last member: its destructor waits for work that uses the others
};

void PipelineSlot::run(const Resolved& kernel, const HostWork& work, const Chunk& chunk,
                       Staging staging) {
    try {
        copy_in(work, chunk, staging);
        launch(kernel, work, chunk);
        copy_out(chunk, staging);
    } catch (...) {
        try {
            queue_->wait();  // for copies that still use the caller's memory
        } catch (const Error&) {
            // The first error is the one to report.
        }
        throw;
    }
}

void PipelineSlot::copy_in(const HostWork& work, const Chunk& chunk, Staging staging) {
    reserve(input_, chunk.input_bytes, [&](std::size_t n) { return queue_->allocate(n); });
    reserve(output_, chunk.output_bytes, [&](std::size_t n) { return queue_->allocate(n); });
    const void* source = chunk.source;
    if (staging == Staging::pinned || source == nullptr) {
        reserve(staged_input_, chunk.input_bytes,
                [&](std::size_t n) { return queue_->allocate_staging(n); });
        work.stage(chunk, static_cast<std::byte*>(staged_input_->data()));
        source = staged_input_->data();
    }
    queue_->upload(input_->data(), {static_cast<const std::byte*>(source), chunk.input_bytes});
}

void PipelineSlot::launch(const Resolved& kernel, const HostWork& work, const Chunk& chunk) {
    const LaunchRule::Plan plan = kernel.rule.plan(chunk.sizes.span());
    const auto allocate = [&](std::size_t n) { return queue_->allocate(n); };
    reserve(plain_, plan.scratch.plain, allocate);
    if (reserve(zeroed_, plan.scratch.zeroed, allocate)) {
        queue_->fill_zero(zeroed_->data(), zeroed_->bytes());
    }
    kernel.program->prepare(kernel.rule.bind(plan, Scratch{plain_->data(), zeroed_->data()}),
                            ready_);
    queue_->launch(*ready_, work.arrays(input_->data(), output_->data()).data());
}

void PipelineSlot::copy_out(const Chunk& chunk, Staging staging) {
    const auto* const wanted = static_cast<const std::byte*>(output_->data()) + chunk.skipped;
    if (staging == Staging::pageable) {
        queue_->download(chunk.target, wanted);
        return queue_->wait();
    }
    const std::size_t bytes = chunk.target.size();
    reserve(staged_output_, bytes, [&](std::size_t n) { return queue_->allocate_staging(n); });
    auto* const staged = static_cast<std::byte*>(staged_output_->data());
    queue_->download({staged, bytes}, wanted);
    queue_->wait();
    if (bytes >= kBeyondCaches) {
        streaming_copy(chunk.target.data(), staged, bytes);
    } else {
        std::memcpy(chunk.target.data(), staged, bytes);
    }
}

std::size_t PipelineSlot::bytes() const {
    std::size_t bytes = 0;
    for (const Memory* memory :
         {&staged_input_, &staged_output_, &input_, &output_, &plain_, &zeroed_}) {
        bytes += *memory == nullptr ? 0 : (*memory)->bytes();
    }
    return bytes;
}

HostPipeline::HostPipeline() = default;
HostPipeline::~HostPipeline() = default;

void HostPipeline::run(const HostWork& work, std::span<const DeviceShare> shares,
                       std::size_t chunk_bytes, Staging staging) {
    const std::size_t unit_bytes = std::max<std::size_t>(work.unit_bytes(), 1);
    auto units = static_cast<std::int64_t>(std::max<std::size_t>(chunk_bytes / unit_bytes, 1));
    while (true) {
        const std::int64_t chunks = (work.outputs() + units - 1) / units;
        try {
            return run_chunks(work, shares, partition(work.outputs(), chunks), staging);
        } catch (const Error& error) {
            const bool small = static_cast<std::size_t>(units) * unit_bytes <= kSmallChunk;
            if (error.kind() != ErrorKind::unavailable || units == 1 || small) {
                throw;
            }
        }
        release();
        units = std::max<std::int64_t>(std::min(units, work.outputs()) / 2, 1);
    }
}

void HostPipeline::run_chunks(const HostWork& work, std::span<const DeviceShare> shares,
                              const std::vector<Part>& parts, Staging staging) {
    const std::vector<const DeviceShare*> seats = seats_of(shares, parts.size());
    std::atomic<std::size_t> next{0};
    threads_.run(seats.size(), [&](std::size_t seat) {
        const DeviceShare& share = *seats[seat];
        std::unique_ptr<PipelineSlot> slot;
        try {
            for (std::size_t i = next++; i < parts.size(); i = next++) {
                if (slot == nullptr) {
                    slot = take(*share.device);
                }
                slot->run(*share.kernel, work, work.chunk(parts[i]), staging);
            }
        } catch (...) {
            next = parts.size();  // no further chunk is begun
            throw;
        }
        if (slot != nullptr) {
            give_back(*share.device, std::move(slot));
        }
    });
}

std::unique_ptr<PipelineSlot> HostPipeline::take(Device& device) {
    {
        const std::lock_guard lock(mutex_);
        auto& idle = idle_[&device];
        if (!idle.empty()) {
            auto slot = std::move(idle.back());
            idle.pop_back();
            return slot;
        }
    }
    return std::make_unique<PipelineSlot>(device);
}

void HostPipeline::give_back(Device& device, std::unique_ptr<PipelineSlot> slot) {
    if (slot->bytes() > kMostKept) {
        return;
    }
    const std::lock_guard lock(mutex_);
    idle_[&device].push_back(std::move(slot));
}

void HostPipeline::release() {
    const std::lock_guard lock(mutex_);
    idle_.clear();
}

}  // namespace jitune::internal
