// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "fake/fake_call.hpp"

namespace jitune::internal {
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

CUresult stream_create_with_priority(CUstream* handle, unsigned flags, int /*priority*/) {
    return stream_create(handle, flags);
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
    state.order.host_waits(stream->order_id());
    return result == CUDA_ERROR_NOT_READY
               ? state.violate("a wait that never ends", CUDA_ERROR_LAUNCH_TIMEOUT)
               : result;
}

/// The legacy stream whose next work would break a capture of its context.
bool beside_a_capture(const FakeCuda::State& state, CUstream handle, const FakeStream& stream) {
    const bool legacy = handle == nullptr || handle == CU_STREAM_LEGACY;
    return legacy &&
           std::any_of(state.streams.begin(), state.streams.end(), [&](const FakeStream* other) {
               return other->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE && other->blocking &&
                      other->context == stream.context;
           });
}

CUresult stream_is_capturing(CUstream handle, CUstreamCaptureStatus* status) {
    ENTER_ON_STREAM("cuStreamIsCapturing", kInit)
    *status = stream->capture;
    return beside_a_capture(state, handle, *stream) ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
                                                    : CUDA_SUCCESS;
}

/// As seen with driver 580: it breaks the capture of its stream, and of another beside it.
CUresult stream_get_id(CUstream handle, unsigned long long* id) {
    ENTER_ON_STREAM("cuStreamGetId", kInit)
    if (stream->capture != CU_STREAM_CAPTURE_STATUS_NONE ||
        beside_a_capture(state, handle, *stream)) {
        state.break_captures();
        return state.violate("cuStreamGetId during a capture",
                             CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    *id = stream->id;
    return CUDA_SUCCESS;
}

/// As seen with driver 580: of a capturing stream it breaks nothing.
CUresult stream_get_context(CUstream handle, CUcontext* context) {
    ENTER_ON_STREAM("cuStreamGetCtx", kInit)
    if (beside_a_capture(state, handle, *stream)) {
        state.break_captures();
        return state.violate("cuStreamGetCtx beside a capture", CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    }
    *context = reinterpret_cast<CUcontext>(stream->context);
    return CUDA_SUCCESS;
}

CUresult begin_capture(CUstream handle, CUstreamCaptureMode mode) {
    ENTER_ON_STREAM("cuStreamBeginCapture", kInit)
    if (stream->capture != CU_STREAM_CAPTURE_STATUS_NONE || stream->owned_by_app ||
        mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
        return state.violate("a capture that may disturb the app's", CUDA_ERROR_ILLEGAL_STATE);
    }
    stream->capture = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    stream->graph = std::make_shared<FakeGraph>();
    stream->graph->streams.insert(stream);
    stream->began_capture = true;
    return CUDA_SUCCESS;
}

/// Ends the capture whatever enter() answered, as the driver does.
CUresult end_capture(CUstream handle, CUgraph* graph) {
    FakeCall call("cuStreamEndCapture", kInit);
    FakeCuda::State& state = call.state;
    *graph = nullptr;
    CUresult found = CUDA_SUCCESS;
    FakeStream* stream = state.find(handle, found);
    if (stream == nullptr) {
        return found;
    }
    if (stream->graph == nullptr || !stream->began_capture) {
        return state.violate("the end of no capture", CUDA_ERROR_ILLEGAL_STATE);
    }
    const std::shared_ptr<FakeGraph> captured = stream->graph;
    stream->began_capture = false;
    for (FakeStream* one : captured->streams) {
        one->graph = nullptr;
        one->capture = CU_STREAM_CAPTURE_STATUS_NONE;
    }
    if (call.result == CUDA_SUCCESS) {
        auto* made = new FakeGraph(*captured);
        state.graphs.insert(made);
        *graph = reinterpret_cast<CUgraph>(made);
    }
    return call.result;
}

CUresult event_create(CUevent* handle, unsigned) {
    ENTER("cuEventCreate", kContext)
    auto* event = new FakeEvent{.context = state.current()};
    state.events.insert(event);
    *handle = reinterpret_cast<CUevent>(event);
    return CUDA_SUCCESS;
}

CUresult event_destroy(CUevent handle) {
    return destroy("cuEventDestroy", fake_state().events, handle, kContext);
}

/// Work is done when it is enqueued.
CUresult event_query(CUevent handle) {
    ENTER("cuEventQuery", kNoCapture)
    return state.events.count(reinterpret_cast<FakeEvent*>(handle)) > 0
               ? CUDA_SUCCESS
               : state.violate("a look at an event that does not exist", CUDA_ERROR_INVALID_HANDLE);
}

CUresult event_record(CUevent handle_of_event, CUstream handle, unsigned flags) {
    ENTER_ON_STREAM("cuEventRecordWithFlags", kInit)
    auto* event = reinterpret_cast<FakeEvent*>(handle_of_event);
    if (stream->graph != nullptr && flags == CU_EVENT_RECORD_EXTERNAL) {
        stream->graph->nodes.emplace_back(event);
    }
    const auto record = [&state, event, stream] {
        state.order.record(event, stream->order_id());
        return CUDA_SUCCESS;
    };
    const bool captured = state.takes(*stream, record);
    if (!captured) {
        event->nanoseconds = state.clock;
        record();
    }
    event->graph = captured && flags != CU_EVENT_RECORD_EXTERNAL ? stream->graph : nullptr;
    return CUDA_SUCCESS;
}

CUresult stream_wait_event(CUstream handle, CUevent handle_of_event, unsigned flags) {
    ENTER_ON_STREAM("cuStreamWaitEvent", kInit)
    auto* event = reinterpret_cast<FakeEvent*>(handle_of_event);
    if (state.events.find(event) == state.events.end()) {
        return state.violate("a wait for an event that does not exist", CUDA_ERROR_INVALID_HANDLE);
    }
    if (event->graph != nullptr && event->graph != stream->graph) {  // joins the capture
        if (stream->graph != nullptr || stream->owned_by_app) {
            return state.violate("an event of a capture is waited for outside of it",
                                 CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
        }
        stream->capture = CU_STREAM_CAPTURE_STATUS_ACTIVE;
        stream->graph = event->graph;
        stream->graph->streams.insert(stream);
    }
    if (stream->graph != nullptr && event->graph == nullptr && flags != CU_EVENT_WAIT_EXTERNAL) {
        return state.violate("a capture waits for an event outside of it",
                             CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    }
    const auto wait = [&state, event, stream] {
        state.order.wait(stream->order_id(), event);
        return CUDA_SUCCESS;
    };
    return state.takes(*stream, wait) ? CUDA_SUCCESS : wait();
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
    table.cuStreamCreateWithPriority = stream_create_with_priority;
    table.cuStreamWaitEvent = stream_wait_event;
    table.cuStreamDestroy = stream_destroy;
    table.cuStreamQuery = stream_query;
    table.cuStreamSynchronize = stream_synchronize;
    table.cuStreamIsCapturing = stream_is_capturing;
    table.cuStreamGetId = stream_get_id;
    table.cuStreamGetCtx = stream_get_context;
    table.cuStreamBeginCapture = begin_capture;
    table.cuStreamEndCapture = end_capture;
    table.cuEventCreate = event_create;
    table.cuEventDestroy = event_destroy;
    table.cuEventQuery = event_query;
    table.cuEventRecordWithFlags = event_record;
    table.cuEventElapsedTime = event_elapsed;
}

}  // namespace jitune::internal
