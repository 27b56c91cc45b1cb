// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "backend/device.hpp"
#include "support/serial.hpp"

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
    /// if it is too small for a later launch. Of a host's site, each thread has memory of its own.
    /// Allocates only when the stream needs more than before. Throws Error(not_prepared) if the
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
