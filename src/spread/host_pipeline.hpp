// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backend/device.hpp"
#include "dispatch/answer/dispatch_table.hpp"
#include "spread/host_work.hpp"
#include "support/thread_pool.hpp"

namespace jitune::internal {

class PipelineSlot;

/// A device's share of the work: `slots` chunks at a time, each in a thread of its own.
struct DeviceShare {
    Device* device;
    const Resolved* kernel;
    int slots;
};

/// How chunks are copied to a device and back.
enum class Staging {
    pinned,    ///< through page-locked memory, to and from which threads copy
    pageable,  ///< by the driver, directly from and to the caller's memory
};

/// Works on arrays in host memory chunk by chunk, on one or several devices; a device that is free
/// takes the next chunk. Copies to staging memory, transfers and kernels of different chunks
/// overlap. Threads, streams and memory are kept from call to call.
/// Thread-safe.
class HostPipeline {
public:
    HostPipeline();
    ~HostPipeline();

    /// Works in chunks of about `chunk_bytes`, or smaller ones if memory runs out. Throws
    /// Error(unavailable) if there is no memory for a single unit, and Error(device); the outputs
    /// are undefined then.
    void run(const HostWork& work, std::span<const DeviceShare> shares, std::size_t chunk_bytes,
             Staging staging);

private:
    /// A slot for the caller alone, until give_back().
    std::unique_ptr<PipelineSlot> take(Device& device);
    void give_back(Device& device, std::unique_ptr<PipelineSlot> slot);
    void release();
    void run_chunks(const HostWork& work, std::span<const DeviceShare> shares,
                    const std::vector<Part>& parts, Staging staging);

    std::mutex mutex_;
    std::map<Device*, std::vector<std::unique_ptr<PipelineSlot>>> idle_;
    ThreadPool threads_;
};

}  // namespace jitune::internal
