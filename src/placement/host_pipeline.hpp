// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backend/device.hpp"
#include "dispatch/dispatch_table.hpp"
#include "placement/host_work.hpp"
#include "support/crew.hpp"

namespace jitune::internal {

class PipelineSlot;

/// A device's share of the work: so many chunks at a time, each in a thread of its own.
struct Lane {
    Device* device;
    const Resolved* kernel;
    int slots;
};

/// How chunks come to a device and back.
enum class Staging {
    pinned,    ///< through page-locked memory, to which the slots' threads copy
    pageable,  ///< straight from the caller's memory, as the driver sees fit
};

/// Works on arrays in host memory chunk by chunk, on one device or several: who is free takes the
/// next one. While one chunk is copied to its staging memory, others are on their way to a device,
/// in its kernel or on their way back. Threads, streams and memory are kept from call to call.
/// Thread-safe.
class HostPipeline {
public:
    HostPipeline();
    ~HostPipeline();

    /// In chunks of about `chunk_bytes`, or smaller ones where memory for them runs out. Throws
    /// Error(unavailable) where there is none for a single row, and Error(device); what has been
    /// written by then is no result.
    void run(const HostWork& work, std::span<const Lane> lanes, std::size_t chunk_bytes,
             Staging staging);

private:
    /// A slot of the caller's own until it is given back.
    std::unique_ptr<PipelineSlot> take(Device& device);
    void give_back(Device& device, std::unique_ptr<PipelineSlot> slot);
    void release();
    void run_chunks(const HostWork& work, std::span<const Lane> lanes,
                    const std::vector<Part>& parts, Staging staging);

    std::mutex mutex_;
    std::map<Device*, std::vector<std::unique_ptr<PipelineSlot>>> idle_;
    Crew crew_;
};

}  // namespace jitune::internal
