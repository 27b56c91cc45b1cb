// SPDX-License-Identifier: Apache-2.0
#include "spread/pipeline_slot.hpp"

#include <algorithm>
#include <cstring>

#include "support/streaming_copy.hpp"

namespace jitune::internal {

namespace {

using Memory = std::unique_ptr<DeviceMemory>;

// From this chunk size on, results no longer fit into the caches until they are read.
constexpr std::size_t kBeyondCaches = std::size_t{768} << 10;

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

}  // namespace

void PipelineSlot::run(const Resolved& kernel, const HostWork& work, const Part& part,
                       const Chunk& chunk, Staging staging) {
    try {
        copy_in(work, part, chunk, staging);
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

void PipelineSlot::copy_in(const HostWork& work, const Part& part, const Chunk& chunk,
                           Staging staging) {
    reserve(input_, chunk.input_bytes, [&](std::size_t n) { return queue_->allocate(n); });
    reserve(output_, chunk.output_bytes, [&](std::size_t n) { return queue_->allocate(n); });
    const void* source = chunk.source;
    if (staging == Staging::pinned || source == nullptr) {
        reserve(staged_input_, chunk.input_bytes,
                [&](std::size_t n) { return queue_->allocate_staging(n); });
        work.stage(part, static_cast<std::byte*>(staged_input_->data()));
        source = staged_input_->data();
    }
    queue_->upload(input_->data(), {static_cast<const std::byte*>(source), chunk.input_bytes});
}

void PipelineSlot::launch(const Resolved& kernel, const HostWork& work, const Chunk& chunk) {
    const LaunchRule::Plan plan = kernel.rule.plan(std::span(chunk.sizes).first(chunk.size_count));
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

}  // namespace jitune::internal
