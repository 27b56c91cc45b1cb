// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/driver/driver_device.hpp"

namespace jitune::internal {

/// While it lives, a context of the device is current to the calling thread: the current one, if it
/// is of that device, else the primary one. Also, slow driver calls do not disturb a stream capture
/// of another thread. Its end restores both.
class ContextScope {
public:
    /// Throws Error(device) and leaves everything as it was.
    explicit ContextScope(DriverDevice& device) : current_(device, false), relaxed_(device) {}

    struct Primary {};
    /// Makes the primary context current, also if another context of the device is.
    ContextScope(DriverDevice& device, Primary /*which*/)
        : current_(device, true), relaxed_(device) {}

private:
    class Current {
    public:
        Current(DriverDevice& device, bool primary);
        ~Current();
        Current(const Current&) = delete;
        Current& operator=(const Current&) = delete;

    private:
        DriverDevice& device_;
        bool pushed_ = false;
    };

    class RelaxedCapture {
    public:
        explicit RelaxedCapture(DriverDevice& device);
        ~RelaxedCapture();
        RelaxedCapture(const RelaxedCapture&) = delete;
        RelaxedCapture& operator=(const RelaxedCapture&) = delete;

    private:
        DriverDevice& device_;
        CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
    };

    Current current_;
    RelaxedCapture relaxed_;
};

/// While it lives, the context of `stream` is current to the calling thread; where that is a
/// default stream, the one that is current anyway, if any.
class StreamContext {
public:
    /// Throws Error(device).
    StreamContext(const DriverTable& driver, Stream stream);
    ~StreamContext();
    StreamContext(const StreamContext&) = delete;
    StreamContext& operator=(const StreamContext&) = delete;

private:
    const DriverTable& driver_;
    bool pushed_ = false;
};

}  // namespace jitune::internal
