// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/driver/driver_device.hpp"
#include "backend/device.hpp"

namespace jitune::internal {

/// The state of a stream that a call on it has to respect.
enum class CaptureState {
    none,
    active,  ///< the stream is capturing
    beside,  ///< the legacy stream: its next work would break a capture of another
};

/// The answer of cuStreamIsCapturing, which never breaks a capture, unlike most other calls.
CUresult ask_capture(const DriverTable& driver, Stream stream, CaptureState& state);

/// Throws Error(not_prepared) that names `what` as the call that cannot be captured.
[[noreturn]] void refuse_captured(const char* what);

/// Throws Error(not_prepared) that names `what` if `stream` is capturing, or is the legacy stream
/// beside a capture that it would break. The capture stays valid.
void refuse_capture(DriverDevice& device, Stream stream, const char* what);

/// While it lives, no call that waits or looks at work breaks a capture of the app, in whichever
/// thread that is.
class RelaxedCaptures {
public:
    explicit RelaxedCaptures(const DriverDevice& device) : device_(device) {
        device_.try_call(&DriverTable::cuThreadExchangeStreamCaptureMode, &mode_);
    }
    ~RelaxedCaptures() {
        device_.try_call(&DriverTable::cuThreadExchangeStreamCaptureMode, &mode_);
    }
    RelaxedCaptures(const RelaxedCaptures&) = delete;
    RelaxedCaptures& operator=(const RelaxedCaptures&) = delete;

private:
    const DriverDevice& device_;
    CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

/// A capture of `stream` into a graph, which disturbs no other thread. Given up with this object
/// unless ended before.
class StreamCapture {
public:
    /// Throws Error(device) that names `tried`.
    StreamCapture(DriverDevice& device, Stream stream, std::string_view tried);
    ~StreamCapture();
    StreamCapture(const StreamCapture&) = delete;
    StreamCapture& operator=(const StreamCapture&) = delete;

    /// The answer of cuStreamEndCapture; the graph is the caller's.
    CUresult end(CUgraph* graph);

private:
    DriverDevice& device_;
    Stream stream_;
    bool open_ = true;
};

}  // namespace jitune::internal
