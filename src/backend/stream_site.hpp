// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/device.hpp"
#include "support/serial.hpp"

namespace jitune::internal {

/// The resources of one stream that a call needs: the device, work memory, and whether the call may
/// use it now. Asked for again by each call; lives as long as its platform. Thread-safe.
class StreamSite {
public:
    explicit StreamSite(Device& device) : serial_(next_serial()), device_(device) {}
    virtual ~StreamSite() = default;
    StreamSite(const StreamSite&) = delete;
    StreamSite& operator=(const StreamSite&) = delete;

    /// Tells the site from every other, also from later ones at the same address.
    [[nodiscard]] std::uint64_t serial() const { return serial_; }
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
    std::uint64_t serial_;
    Device& device_;
};

}  // namespace jitune::internal
