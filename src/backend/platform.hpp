// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include "backend/platform_kind.hpp"
#include "backend/stream_site.hpp"
#include "jitune/error.hpp"
#include "support/log.hpp"

namespace jitune::internal {

/// The devices of one PlatformKind on this machine. Thread-safe.
class Platform {
public:
    virtual ~Platform() = default;

    [[nodiscard]] virtual PlatformKind kind() const = 0;
    [[nodiscard]] virtual int device_count() const = 0;
    /// Says in one line why device_count() is 0; empty if it is not.
    [[nodiscard]] virtual std::string missing() const = 0;
    /// The code of the call that found no device; none otherwise.
    [[nodiscard]] virtual NativeCode missing_code() const { return {}; }

    /// The device, opened on first use. 0 <= ordinal < device_count().
    virtual Device& device(int ordinal) = 0;

    /// The site of `stream`, by which one call finds all it needs; a few tens of nanoseconds.
    /// nullptr: the legacy default stream of the calling thread's current context, of device 0's
    /// primary one if none is current. Throws Error(unavailable) if there is no device and
    /// Error(device).
    virtual StreamSite& site(Stream stream) = 0;

    /// The streams of `members`, in their order. Throws Error(usage) if two of them are the same
    /// stream, or a member without a stream has no device memory, Error(not_prepared) for a stream
    /// that is captured, Error(unavailable) if there is no device, and Error(device).
    virtual std::unique_ptr<StreamGroup> group(std::span<const GroupMember> /*members*/) {
        throw Error(ErrorKind::unavailable, "cannot group streams: this platform has no streams");
    }

    /// Enqueues on `streams`, those of a group's members, what the group has learnt under `key`, in
    /// a few calls of the driver. False if there is no such thing, or it is better to enqueue it
    /// step by step now. Throws Error(device).
    virtual bool replay(const GroupKey& /*key*/, std::span<const Stream> /*streams*/) {
        return false;
    }
};

}  // namespace jitune::internal
