// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "backend/device.hpp"
#include "support/process_identity.hpp"

namespace jitune::internal {

/// The resources of one stream that a call needs: the device, work memory, and whether the call may
/// use it now. Each call asks for it again; it lives as long as its platform. Thread-safe.
class StreamSite {
public:
    explicit StreamSite(Device& device) : serial_(next_serial() << 32), device_(device) {}
    virtual ~StreamSite() = default;
    StreamSite(const StreamSite&) = delete;
    StreamSite& operator=(const StreamSite&) = delete;

    /// A number that no other site has, also no later one at the same address, and that
    /// forget_launches() changes.
    [[nodiscard]] std::uint64_t serial() const {
        return serial_ + renewals_.load(std::memory_order_acquire);
    }

    /// Changes the serials of all sites, so that threads make the launches anew that they remember
    /// by them. A thread that reads a new serial also sees what was written before the change.
    static void forget_launches() { renewals_.fetch_add(1, std::memory_order_release); }
    [[nodiscard]] Device& device() const { return device_; }

    /// Memory for a launch on the stream. All launches on the stream share it, and it is kept, also
    /// if it is too small for a later launch. On the host, each thread has memory of its own.
    /// Allocates only when the stream needs more than before. Throws Error(not_prepared) if the
    /// stream is capturing and memory is needed, and if it is the legacy one beside a capture that
    /// any launch would break; the capture stays valid.
    virtual Scratch scratch(const ScratchNeed& need) = 0;

    /// Throws Error(not_prepared) if the stream is capturing, or is the legacy one beside a
    /// capture; names `what` as the call that cannot be captured.
    virtual void refuse_capture(const char* what) const = 0;

private:
    inline static std::atomic<std::uint32_t> renewals_{0};

    std::uint64_t serial_;
    Device& device_;
};

/// One part of an array that lies on several devices, and the stream that works on it.
struct GroupMember {
    Stream stream;     ///< nullptr: the legacy default stream of the device that owns `data`
    const void* data;  ///< in device memory; not looked at if there is a stream
};

/// Bytes [begin, begin + count) of an array.
struct ByteRange {
    std::size_t begin;
    std::size_t count;
};

/// A copy within the memory of one device.
struct MemoryCopy {
    void* to;
    const void* from;
    std::size_t bytes;
};

/// A copy from memory of the member `owner` to memory of the member `reader`, maybe the same.
struct GroupCopy {
    std::size_t reader;
    std::size_t owner;
    MemoryCopy copy;
};

using CallCount = std::atomic<std::int64_t>;

/// Recognises a call on a group that is repeated: the serials of its sites and whatever else tells
/// what it enqueues.
using GroupKey = std::vector<std::uint64_t>;

/// Streams of devices of one host whose work goes together. Beside each stream is a second one, its
/// side, for work that need not wait for the kernels of this call. A group is made for one call and
/// one thread. All functions enqueue work, and none waits for it. Functions throw Error(device),
/// and Error(unavailable) if memory runs out.
class StreamGroup {
public:
    struct Lane {
        Stream stream;
        StreamSite* site;  ///< its work memory is in the member's context
    };

    explicit StreamGroup(std::mutex& mutex) : mutex_(mutex) {}
    virtual ~StreamGroup() = default;
    StreamGroup(const StreamGroup&) = delete;
    StreamGroup& operator=(const StreamGroup&) = delete;

    [[nodiscard]] virtual std::size_t size() const = 0;
    [[nodiscard]] virtual Lane stream(std::size_t member) const = 0;
    [[nodiscard]] virtual Lane side(std::size_t member) const = 0;

    /// The lock to hold while work is enqueued, so that calls on the same streams do not mix.
    [[nodiscard]] std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

    /// Makes the context of `member` the current one. The end of the group restores the one before.
    virtual void enter(std::size_t member) = 0;

    /// Has the side of `member` wait for what its stream has been given so far. Enters the member.
    virtual void fork(std::size_t member) = 0;

    /// Copies beside the streams, from memory as it was when its owner was forked. All members must
    /// be forked. The side of a reader goes on when it has all it reads. What is written must be
    /// work memory of a site of the reader.
    virtual void exchange(std::span<const GroupCopy> copies) = 0;

    /// Has the stream of the entered member wait for what its side has been given so far.
    virtual void join() = 0;

    /// Copies on the stream of the entered member, within its own memory.
    virtual void copy(std::span<const MemoryCopy> copies) = 0;

    /// Has each stream wait until no member reads its memory any more. Readers must have joined.
    virtual void settle() = 0;

    /// Gives each member the whole array. arrays[i] is memory of member i, all of one size, and
    /// holds the i-th range before. Uses NCCL if it is there and can do this, else copies.
    virtual void all_gather(std::span<void* const> arrays, std::span<const ByteRange> ranges) = 0;

    /// Waits for the streams and copies as many bytes from each member, from[i] of member i, to
    /// `to`, one after the other.
    virtual void read_back(std::span<const void* const> from, std::span<std::byte> to) = 0;

    /// Tells what a call with this key has enqueued: `enqueue` does it once more, on the group that
    /// it is given. When a key comes again, what it enqueues may be captured, and from then on
    /// Platform::replay() may do it, which adds 1 to each of `counts`. Never throws.
    virtual void learn(const GroupKey& key, const std::function<void(StreamGroup&)>& enqueue,
                       const std::function<std::vector<CallCount*>()>& counts) noexcept = 0;

private:
    std::mutex& mutex_;
};

}  // namespace jitune::internal
