// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "backend/device.hpp"
#include "support/process_identity.hpp"

namespace jitune::internal {

/// The resources of one stream that a call needs: the device, work memory, and whether the call may
/// use it now. Asked for again by each call; lives as long as its platform. Thread-safe.
class StreamSite {
public:
    explicit StreamSite(Device& device) : serial_(next_serial() << 32), device_(device) {}
    virtual ~StreamSite() = default;
    StreamSite(const StreamSite&) = delete;
    StreamSite& operator=(const StreamSite&) = delete;

    /// Tells the site from every other, also from later ones at the same address, and from itself
    /// before forget_launches().
    [[nodiscard]] std::uint64_t serial() const {
        return serial_ + renewals_.load(std::memory_order_acquire);
    }

    /// Renews the serials of all sites: launches that threads remember by them are made anew. A
    /// thread that sees its new serial sees what was written before.
    static void forget_launches() { renewals_.fetch_add(1, std::memory_order_release); }
    [[nodiscard]] Device& device() const { return device_; }

    /// Memory for a launch on the stream, shared by all launches on it and kept: also what is too
    /// small for a later launch stays. Of a host's site it is the calling thread's own.
    /// Allocates only when the stream needs more than before. Throws Error(not_prepared) where the
    /// stream is capturing and memory is needed, and where it is the legacy one beside a capture
    /// that any launch would break; the capture stays valid.
    virtual Scratch scratch(const ScratchNeed& need) = 0;

    /// Throws Error(not_prepared) if the stream is capturing, or is the legacy one beside a
    /// capture; names `what` as the call that cannot be captured.
    virtual void refuse_capture(const char* what) const = 0;

private:
    inline static std::atomic<std::uint32_t> renewals_{0};

    std::uint64_t serial_;
    Device& device_;
};

/// Where one part of an array that lies on several devices is worked on.
struct GroupMember {
    Stream stream;     ///< nullptr: the legacy default stream of the device that owns `data`
    const void* data;  ///< in device memory; not looked at where there is a stream
};

/// Bytes [begin, begin + count) of an array.
struct ByteRange {
    std::size_t begin;
    std::size_t count;
};

/// Streams of devices of one host whose work goes together. Beside each stream is one more, its
/// side, for what need not wait for the kernels of this call. Made for one call and one thread; all
/// of it is enqueued, nothing waited for. Functions throw Error(device), and Error(unavailable)
/// where memory runs out.
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

    /// To be held while work is enqueued, so that calls on the same streams do not mix.
    [[nodiscard]] std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

    /// Makes the context of `member` the current one; the one before is back when the group ends.
    virtual void enter(std::size_t member) = 0;

    /// The side of `member` goes on from where its stream is now. Enters it.
    virtual void fork(std::size_t member) = 0;

    /// On the side of the member that is entered: copies from memory of `owner`, as it was when
    /// that one was forked.
    virtual void fetch(void* to, std::size_t owner, const void* from, std::size_t bytes) = 0;

    /// The stream of the member that is entered goes on when its side has come to here.
    virtual void join() = 0;

    /// On the stream of the member that is entered, in its own memory.
    virtual void copy(void* to, const void* from, std::size_t bytes) = 0;

    /// Each stream goes on when the members that joined have fetched what they wanted of its
    /// memory.
    virtual void settle() = 0;

    /// arrays[i] is memory of member i, all of one size, of which it has the i-th range: gives it
    /// the others' too. By NCCL where that is there and can, else by copies.
    virtual void all_gather(std::span<void* const> arrays, std::span<const ByteRange> ranges) = 0;

private:
    std::mutex& mutex_;
};

}  // namespace jitune::internal
