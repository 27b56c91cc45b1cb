// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/launch/capture.hpp"

#include <fmt/format.h>

#include "backend/cuda/driver/context.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

CUresult ask_capture(const DriverTable& driver, Stream stream, CaptureState& state) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult result = driver.cuStreamIsCapturing(stream, &status);
    if (result == CUDA_SUCCESS && status == CU_STREAM_CAPTURE_STATUS_NONE) [[likely]] {
        state = CaptureState::none;
        return CUDA_SUCCESS;
    }
    state = result == CUDA_SUCCESS ? CaptureState::active : CaptureState::beside;
    return result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT ? CUDA_SUCCESS : result;
}

void refuse_captured(const char* what) {
    throw Error(ErrorKind::not_prepared,
                fmt::format("{}: cuStreamIsCapturing: the stream is being captured, and this "
                            "cannot be captured; prepare it before the capture begins",
                            what));
}

void refuse_capture(DriverDevice& device, Stream stream, const char* what) {
    CaptureState state = CaptureState::none;
    CUresult result = ask_capture(device.driver(), stream, state);
    if (result == CUDA_ERROR_INVALID_CONTEXT) {
        // A default stream without a current context is that of the device's primary context.
        const ContextScope scope(device);
        result = ask_capture(device.driver(), stream, state);
    }
    device.check(result, "cuStreamIsCapturing", what);
    if (state != CaptureState::none) {
        refuse_captured(what);
    }
}

StreamCapture::StreamCapture(DriverDevice& device, Stream stream, std::string_view tried)
    : device_(device), stream_(stream) {
    device.call(&DriverTable::cuStreamBeginCapture, tried, stream, CU_STREAM_CAPTURE_MODE_RELAXED);
}

StreamCapture::~StreamCapture() {
    if (!open_) {
        return;
    }
    CUgraph graph = nullptr;
    device_.try_call(&DriverTable::cuStreamEndCapture, stream_, &graph);
    if (graph != nullptr) {
        device_.try_call(&DriverTable::cuGraphDestroy, graph);
    }
}

CUresult StreamCapture::end(CUgraph* graph) {
    open_ = false;
    return device_.driver().cuStreamEndCapture(stream_, graph);
}

}  // namespace jitune::internal
