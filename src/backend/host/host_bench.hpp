// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "backend/device.hpp"
#include "backend/host/host_memory.hpp"

namespace jitune::internal {

/// Drives other data out of the caches of every core that this process may use.
class CacheFlusher {
public:
    /// Throws Error(unavailable).
    CacheFlusher(std::int64_t cores, std::int64_t cache_bytes);

    /// Reads, on all cores at once, twice as much memory as the last-level cache holds.
    void flush() const;

private:
    std::int64_t slice_bytes_;
    HostMemory memory_;
};

/// Runs candidates on the calling thread. Nothing guards against them here: one that crashes ends
/// the process and one that hangs is not stopped; a time limit is looked at when the work is done.
/// Isolation comes from running the bench in a worker process. run() and the timers' sample() throw
/// the Error(unavailable) of a launch, such as one on a GPU without memory, and the tuning ends.
class HostBench final : public Bench {
public:
    /// `info` must outlive the bench.
    explicit HostBench(const DeviceInfo& info) : info_(info) {}

    std::unique_ptr<DeviceMemory> allocate(std::size_t bytes) override;
    void upload(void* device, std::span<const std::byte> data) override;
    void download(std::span<std::byte> data, const void* device) override;
    void fill(void* device, std::byte value, std::size_t bytes) override;
    void copy(void* to, const void* from, std::size_t bytes) override;
    bool equal(const void* one, const void* other, std::size_t bytes) override;
    std::vector<std::uint64_t> checksums(std::span<const MemoryRegion> regions) override {
        return host_checksums(regions);
    }
    std::optional<LaunchFailure> run(const Program& program, const Launch& launch,
                                     std::chrono::milliseconds limit) override;

    /// The timer reads the steady clock around the chain and, without `flush_cache`, repeats a
    /// chain that is too short for the clock within one sample; with it, each sample is one pass.
    /// `program` and this bench must outlive the timer.
    std::unique_ptr<Timer> timer(const Program& program, std::span<const Launch> chain,
                                 std::size_t untimed, bool flush_cache) override;
    /// Adds the time for which kernels have missed threads of the pool: the scheduler counts the
    /// wait of such a thread only when it is over.
    std::optional<ProcessorUse> processor_use() override;

private:
    const DeviceInfo& info_;
    std::optional<CacheFlusher> flusher_;
};

}  // namespace jitune::internal
