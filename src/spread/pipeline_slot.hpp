// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/device.hpp"
#include "dispatch/answer/dispatch_table.hpp"
#include "spread/host_pipeline.hpp"

namespace jitune::internal {

/// A stream with staging and device memory for one chunk at a time. Used by one thread at a time.
class PipelineSlot {
public:
    explicit PipelineSlot(Device& device) : queue_(device.make_queue()) {}

    /// Returns when the chunk's results are in its target. Throws as HostPipeline::run does.
    void run(const Resolved& kernel, const HostWork& work, const Part& part, const Chunk& chunk,
             Staging staging);

    /// The memory that it holds, on the device and page-locked.
    [[nodiscard]] std::size_t bytes() const;

private:
    using Memory = std::unique_ptr<DeviceMemory>;

    void copy_in(const HostWork& work, const Part& part, const Chunk& chunk, Staging staging);
    void launch(const Resolved& kernel, const HostWork& work, const Chunk& chunk);
    void copy_out(const Chunk& chunk, Staging staging);

    std::unique_ptr<ReadyLaunch> ready_;  // kept for its memory alone
    Memory staged_input_, staged_output_, input_, output_, plain_, zeroed_;
    std::unique_ptr<Queue>
        queue_;  // the last member: its destructor waits for work that uses the others
};

}  // namespace jitune::internal
