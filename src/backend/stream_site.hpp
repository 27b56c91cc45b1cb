// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

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

}  // namespace jitune::internal
