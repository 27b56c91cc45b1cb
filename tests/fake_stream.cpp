#include <algorithm>

#include "fake_call.hpp"

namespace jitune {
namespace {

CUresult stream_create(CUstream* handle, unsigned flags) {
    ENTER("cuStreamCreate", kContext)
    auto* stream = new FakeStream{.context = state.current(),
                                  .id = state.next_stream_id++,
                                  .blocking = flags != CU_STREAM_NON_BLOCKING};
    state.streams.insert(stream);
    *handle = reinterpret_cast<CUstream>(stream);
    return CUDA_SUCCESS;
}

CUresult stream_destroy(CUstream handle) {
    return destroy("cuStreamDestroy", fake_state().streams, handle, kContext);
}

CUresult wait(FakeCuda::State& state, FakeStream& stream) {
    if (stream.capture != CU_STREAM_CAPTURE_STATUS_NONE) {
        stream.capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
        return state.violate("a wait for a capturing stream",
                             CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    if (stream.context->lost != CUDA_SUCCESS) {
        return stream.context->lost;
    }
    return state.hung ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult stream_query(CUstream handle) {
    ENTER_ON_STREAM("cuStreamQuery", kNoCapture)
    return wait(state, *stream);
}

CUresult stream_synchronize(CUstream handle) {
    ENTER_ON_STREAM("cuStreamSynchronize", kNoCapture)
    const CUresult result = wait(state, *stream);
    return result == CUDA_ERROR_NOT_READY
               ? state.violate("a wait that never ends", CUDA_ERROR_LAUNCH_TIMEOUT)
               : result;
}

CUresult stream_is_capturing(CUstream handle, CUstreamCaptureStatus* status) {
    ENTER_ON_STREAM("cuStreamIsCapturing", kInit)
    const bool legacy = handle == nullptr || handle == CU_STREAM_LEGACY;
    const bool beside =
        std::any_of(state.streams.begin(), state.streams.end(), [&](const FakeStream* other) {
            return other->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE && other->blocking &&
                   other->context == stream->context;
        });
    *status = stream->capture;
    return legacy && beside ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : CUDA_SUCCESS;
}

CUresult stream_get_id(CUstream handle, unsigned long long* id) {
    ENTER_ON_STREAM("cuStreamGetId", kInit)
    *id = stream->id;
    return CUDA_SUCCESS;
}

CUresult event_create(CUevent* handle, unsigned) {
    ENTER("cuEventCreate", kContext)
    auto* event = new FakeEvent;
    state.events.insert(event);
    *handle = reinterpret_cast<CUevent>(event);
    return CUDA_SUCCESS;
}

CUresult event_destroy(CUevent handle) {
    return destroy("cuEventDestroy", fake_state().events, handle, kContext);
}

CUresult event_record(CUevent event, CUstream handle) {
    ENTER_ON_STREAM("cuEventRecord", kInit)
    reinterpret_cast<FakeEvent*>(event)->nanoseconds = state.clock;
    return CUDA_SUCCESS;
}

CUresult event_elapsed(float* milliseconds, CUevent begin, CUevent end) {
    ENTER("cuEventElapsedTime", kContext)
    *milliseconds = static_cast<float>((reinterpret_cast<FakeEvent*>(end)->nanoseconds -
                                        reinterpret_cast<FakeEvent*>(begin)->nanoseconds) *
                                       1e-6);
    return CUDA_SUCCESS;
}

}  // namespace

void fill_stream_functions(DriverTable& table) {
    table.cuStreamCreate = stream_create;
    table.cuStreamDestroy = stream_destroy;
    table.cuStreamQuery = stream_query;
    table.cuStreamSynchronize = stream_synchronize;
    table.cuStreamIsCapturing = stream_is_capturing;
    table.cuStreamGetId = stream_get_id;
    table.cuEventCreate = event_create;
    table.cuEventDestroy = event_destroy;
    table.cuEventRecord = event_record;
    table.cuEventElapsedTime = event_elapsed;
}

}  // namespace jitune
