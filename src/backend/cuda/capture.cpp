#include "backend/cuda/capture.hpp"

#include <fmt/format.h>

#include "backend/cuda/context.hpp"
#include "jitune/error.hpp"

namespace jitune {
namespace {

/// Asks again in the device's context where the stream is a default one and no context is current.
template <class Query>
CUresult ask(CudaDevice& device, const Query& query) {
    const CUresult result = query();
    if (result != CUDA_ERROR_INVALID_CONTEXT) {
        return result;
    }
    const ContextScope scope(device);
    return query();
}

}  // namespace

void refuse_capture(CudaDevice& device, Stream stream, const char* what) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUresult result =
        ask(device, [&] { return device.driver().cuStreamIsCapturing(stream, &status); });
    if (result != CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) {
        device.check(result, "cuStreamIsCapturing", what);
        if (status == CU_STREAM_CAPTURE_STATUS_NONE) {
            return;
        }
    }
    throw Error(ErrorKind::not_prepared,
                fmt::format("{}: cuStreamIsCapturing: the stream is being captured, and this "
                            "cannot be captured; prepare it before the capture begins",
                            what));
}

std::uint64_t stream_id(CudaDevice& device, Stream stream) {
    unsigned long long id = 0;
    device.check(ask(device, [&] { return device.driver().cuStreamGetId(stream, &id); }),
                 "cuStreamGetId", "identify a stream");
    return id;
}

}  // namespace jitune
