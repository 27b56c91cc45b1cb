// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <cuda_runtime_api.h>

namespace jitune::bench {

/// Enqueues a plain read of `bytes` of device memory, a multiple of 64 KiB. Reads, unlike writes,
/// leave no dirty lines behind, whose write-back would fall into what is timed next.
void read_all(const void* memory, std::size_t bytes, cudaStream_t stream);

/// Enqueues a kernel that keeps the stream busy for about so long and touches no memory.
void keep_busy(double us, cudaStream_t stream);

struct ReadCeiling {
    double gbps = 0;
    std::string how;  ///< the fastest of the kernels tried
};

/// The highest rate at which plain kernels read `bytes`, a multiple of 64 KiB and many times the
/// L2. Waits for the stream.
ReadCeiling read_ceiling(const void* memory, std::size_t bytes, cudaStream_t stream);

}  // namespace jitune::bench
