#pragma once

#include "backend/backend.hpp"
#include "backend/cuda/cuda_device.hpp"

namespace jitune {

/// Throws Error(not_prepared) that names `what` if `stream` is capturing, or is the legacy stream
/// beside a capture that it would break. The capture stays valid.
void refuse_capture(CudaDevice& device, Stream stream, const char* what);

/// A number that no other stream of this process has or will have; tells apart the default streams
/// of each context and of each thread.
std::uint64_t stream_id(CudaDevice& device, Stream stream);

}  // namespace jitune
