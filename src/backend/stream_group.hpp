// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <span>

#include "backend/stream_site.hpp"

namespace jitune::internal {

/// One part of an array that lies on several devices, and the stream that works on it.
struct GroupMember {
    Stream stream;     ///< nullptr: the legacy default stream of the device that owns `data`
    const void* data;  ///< in device memory; not looked at where there is a stream
};

/// Bytes [begin, begin + count) of an array.
struct ByteRange {
    std::size_t begin;
    std::size_t count;
};

/// Streams of devices of one host whose work goes together. Beside each stream is a second one, its
/// side, for work that need not wait for the kernels of this call. A group is made for one call and
/// one thread. All functions enqueue work, and none waits for it. Functions throw Error(device),
/// and Error(unavailable) where memory runs out.
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

    /// Copies, on the side of the entered member, from memory of `owner` as it was when `owner` was
    /// forked.
    virtual void fetch(void* to, std::size_t owner, const void* from, std::size_t bytes) = 0;

    /// Has the stream of the entered member wait for what its side has been given so far.
    virtual void join() = 0;

    /// Copies on the stream of the entered member, within its own memory.
    virtual void copy(void* to, const void* from, std::size_t bytes) = 0;

    /// Has each stream wait until the members that joined have fetched what they need of its
    /// memory.
    virtual void settle() = 0;

    /// Gives each member the whole array. arrays[i] is memory of member i, all of one size, and
    /// holds the i-th range before. Uses NCCL if it is there and can do this, else copies.
    virtual void all_gather(std::span<void* const> arrays, std::span<const ByteRange> ranges) = 0;

private:
    std::mutex& mutex_;
};

}  // namespace jitune::internal
