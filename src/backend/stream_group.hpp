// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <span>

#include "backend/stream_site.hpp"

namespace jitune::internal {

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
