// SPDX-License-Identifier: Apache-2.0
#include "spread/host_pipeline.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "jitune/error.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace jitune::internal {

std::vector<Part> partition(std::int64_t count, std::int64_t parts) {
    const std::int64_t used = std::min(parts, count);
    // The first `count % used` parts have one unit more.
    const auto start = [&](std::int64_t part) {
        return count / used * part + std::min(part, count % used);
    };
    std::vector<Part> result;
    for (std::int64_t i = 0; i < used; ++i) {
        result.push_back({start(i), start(i + 1)});
    }
    return result;
}

HostWork::HostWork(const Windows& windows, std::int64_t units, const LaunchSizes& sizes,
                   void* const* arrays)
    : windows_(windows),
      units_(units),
      sizes_(sizes),
      input_(static_cast<const std::byte*>(arrays[0])),
      value_(arrays[1]),
      output_(static_cast<std::byte*>(arrays[2])),
      staged_element_(windows.input_bytes) {}

void HostWork::convert_inputs(std::size_t bytes, Convert convert) {
    staged_element_ = bytes;
    convert_ = std::move(convert);
}

std::int64_t HostWork::outputs() const {
    return windows_.ends == Ends::valid ? units_ - 2 * windows_.radius : units_;
}

std::size_t HostWork::unit_bytes() const {
    return std::max(staged_bytes(1), windows_.bytes_out(1));
}

Chunk HostWork::chunk(const Part& part) const {
    const bool drops = windows_.ends == Ends::own;
    // The first output of a valid array belongs to the unit at `radius`.
    const std::int64_t reach = windows_.ends == Ends::valid ? 0 : windows_.radius;
    Chunk chunk;
    chunk.first = part.begin - reach;
    chunk.last = part.end - reach + 2 * windows_.radius;
    if (drops) {
        chunk.first = std::max<std::int64_t>(chunk.first, 0);
        chunk.last = std::min(chunk.last, units_);
        chunk.skipped = windows_.bytes_out(part.begin - chunk.first);
    }
    const std::int64_t inputs = chunk.last - chunk.first;
    chunk.sizes = sizes_;
    chunk.sizes.sizes.at(sizes_.units) = inputs;
    chunk.input_bytes = staged_bytes(inputs);
    chunk.output_bytes = windows_.bytes_out(drops ? inputs : part.end - part.begin);
    chunk.target = {output_ + windows_.bytes_out(part.begin),
                    windows_.bytes_out(part.end - part.begin)};
    if (!convert_ && chunk.first >= 0 && chunk.last <= units_) {
        chunk.source = input_ + windows_.bytes_in(chunk.first);
    }
    return chunk;
}

void HostWork::stage(const Chunk& chunk, std::byte* staging) const {
    const std::int64_t inside = std::clamp<std::int64_t>(chunk.first, 0, units_);
    const std::int64_t outside = std::clamp<std::int64_t>(chunk.last, inside, units_);
    const auto place = [&](std::int64_t unit) {
        return staging + staged_bytes(unit - chunk.first);
    };
    for (std::int64_t i = chunk.first; i < inside; ++i) {
        stage_outside(i, place(i));
    }
    stage_units(inside, outside - inside, place(inside));
    for (std::int64_t i = outside; i < chunk.last; ++i) {
        stage_outside(i, place(i));
    }
}

std::array<void*, 3> HostWork::arrays(void* input, void* output) const {
    return {input, value_, output};
}

std::size_t HostWork::staged_bytes(std::int64_t units) const {
    return static_cast<std::size_t>(units * windows_.unit_elements) * staged_element_;
}

void HostWork::stage_units(std::int64_t from, std::int64_t count, std::byte* to) const {
    const std::byte* const first = input_ + windows_.bytes_in(from);
    if (convert_) {
        convert_(first, static_cast<std::size_t>(count * windows_.unit_elements), to);
    } else {
        std::memcpy(to, first, windows_.bytes_in(count));
    }
}

void HostWork::stage_outside(std::int64_t unit, std::byte* to) const {
    if (windows_.ends == Ends::zero) {
        std::memset(to, 0, staged_bytes(1));
        return;
    }
    const std::int64_t from = windows_.ends == Ends::wrap
                                  ? (unit % units_ + units_) % units_
                                  : std::clamp<std::int64_t>(unit, 0, units_ - 1);
    stage_units(from, 1, to);
}

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

#ifdef __SSE2__

void streaming_copy(void* to, const void* from, std::size_t bytes) {
    constexpr std::size_t kVector = sizeof(__m128i);
    auto* target = static_cast<std::byte*>(to);
    const auto* source = static_cast<const std::byte*>(from);
    const std::size_t past = reinterpret_cast<std::uintptr_t>(target) % kVector;
    const std::size_t head = std::min(past == 0 ? 0 : kVector - past, bytes);
    std::memcpy(target, source, head);
    std::size_t done = head;
    for (; done + kVector <= bytes; done += kVector) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(target + done),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + done)));
    }
    std::memcpy(target + done, source + done, bytes - done);
    _mm_sfence();  // so that another thread that learns of the copy sees it
}

#else

void streaming_copy(void* to, const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
}

#endif

}  // namespace jitune::internal
