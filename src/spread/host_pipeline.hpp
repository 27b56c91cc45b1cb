// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backend/device.hpp"
#include "dispatch/answer/dispatch_table.hpp"
#include "spread/halo_plan.hpp"
#include "support/thread_pool.hpp"

namespace jitune::internal {

/// The units [begin, end) of outputs.
struct Part {
    std::int64_t begin;
    std::int64_t end;
};

/// Divides `count` units into at most `parts` parts, in order, each of at least one unit and as
/// even as possible. Returns nothing if count is 0. `parts` must be at least 1.
std::vector<Part> partition(std::int64_t count, std::int64_t parts);

/// The sizes of a launch, in the order of the kernel's `sizes`. That at `units` is the number of
/// units of inputs, so that it differs between chunks.
struct LaunchSizes {
    std::array<std::int64_t, 2> sizes{};
    std::size_t count = 1;
    std::size_t units = 0;

    [[nodiscard]] std::span<const std::int64_t> span() const {
        return std::span(sizes).first(count);
    }
};

/// The inputs and outputs of one launch over a part.
struct Chunk {
    std::int64_t first = 0;  ///< inputs [first, last), which may lie outside of the array
    std::int64_t last = 0;
    LaunchSizes sizes;
    std::size_t input_bytes = 0;
    std::size_t output_bytes = 0;
    std::size_t skipped = 0;           ///< bytes of outputs before the wanted ones
    std::span<std::byte> target = {};  ///< receives the wanted outputs
    const void* source = nullptr;      ///< inputs that need no staging, or null
};

/// An operation over an array in host memory that is done chunk by chunk. If the array's ends are
/// the kernel's own, a chunk is an array to the kernel, and the outputs that lack neighbours are
/// dropped. Else the kernel gives a chunk's first and last units no outputs, and staging extends
/// the inputs at the array's ends. Thread-safe.
class HostWork {
public:
    /// Writes `count` elements to `to`, as the kernel takes them.
    using Convert = std::function<void(const std::byte* from, std::size_t count, std::byte* to)>;

    /// Of an array of `units` units of inputs. `arrays` are the arguments of the whole call, in the
    /// template's order: the input, a value, the output.
    HostWork(const Windows& windows, std::int64_t units, const LaunchSizes& sizes,
             void* const* arrays);

    /// The kernel takes elements of `bytes` bytes, which `convert` makes of the caller's.
    void convert_inputs(std::size_t bytes, Convert convert);

    /// The number of units of outputs.
    [[nodiscard]] std::int64_t outputs() const;
    /// The larger of the bytes of an input unit, as the kernel takes it, and of an output unit.
    [[nodiscard]] std::size_t unit_bytes() const;

    [[nodiscard]] Chunk chunk(const Part& part) const;

    /// Writes the inputs of a chunk, as the kernel takes them, to `staging`.
    void stage(const Chunk& chunk, std::byte* staging) const;

    /// The kernel's arguments in its template's order, for memory of a device.
    [[nodiscard]] std::array<void*, 3> arrays(void* input, void* output) const;

private:
    [[nodiscard]] std::size_t staged_bytes(std::int64_t units) const;
    /// Writes the inputs of `count` units of the array.
    void stage_units(std::int64_t from, std::int64_t count, std::byte* to) const;
    /// Writes one unit that lies outside of the array.
    void stage_outside(std::int64_t unit, std::byte* to) const;

    Windows windows_;
    std::int64_t units_;
    LaunchSizes sizes_;
    const std::byte* input_;
    void* value_;
    std::byte* output_;
    std::size_t staged_element_;
    Convert convert_;  ///< null: the kernel takes the elements as they are
};

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

/// Copies as std::memcpy does, but writes around the caches if the CPU supports that. It pays for
/// results larger than the caches: their lines are not read before they are overwritten.
void streaming_copy(void* to, const void* from, std::size_t bytes);

}  // namespace jitune::internal
