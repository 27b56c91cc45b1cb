// SPDX-License-Identifier: Apache-2.0
#include "spread/host_pipeline.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "jitune/error.hpp"
#include "spread/pipeline_slot.hpp"

namespace jitune::internal {

namespace {

// If memory for a chunk of this size cannot be had, smaller chunks are not tried.
constexpr std::size_t kSmallChunk = std::size_t{64} << 10;
// The most memory that a slot keeps from one call to the next.
constexpr std::size_t kMostKept = std::size_t{64} << 20;

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

HostPipeline::HostPipeline() = default;
HostPipeline::~HostPipeline() = default;

void HostPipeline::run(const HostWork& work, std::span<const DeviceShare> shares,
                       std::size_t chunk_bytes, Staging staging) {
    const std::size_t row_bytes = std::max<std::size_t>(work.row_bytes(), 1);
    auto rows = static_cast<std::int64_t>(std::max<std::size_t>(chunk_bytes / row_bytes, 1));
    while (true) {
        const std::int64_t chunks = (work.rows() + rows - 1) / rows;
        try {
            return run_chunks(work, shares, partition(work.rows(), chunks, work.halo()), staging);
        } catch (const Error& error) {
            const bool small = static_cast<std::size_t>(rows) * row_bytes <= kSmallChunk;
            if (error.kind() != ErrorKind::unavailable || rows == 1 || small) {
                throw;
            }
        }
        release();
        rows = std::max<std::int64_t>(std::min(rows, work.rows()) / 2, 1);
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
                slot->run(*share.kernel, work, parts[i], work.chunk(parts[i]), staging);
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
