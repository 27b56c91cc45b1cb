// What candidates of operations that only the caller knows are compared with.
#pragma once

#include "jitune_operations.h"

namespace jitune {

/// The combination of values[0], values[stride], … values[(n - 1) * stride] by a block of at most
/// 1024 threads: the plainest loop, and one thread that combines the threads' states and writes.
template <class Op, class T, class R>
__device__ void reduce_serially(const T* values, Index n, Index stride, R* result) {
    __shared__ typename Op::State states[1024];
    auto state = Op::identity();
    for (Index i = threadIdx.x; i < n; i += blockDim.x) {
        state = Op::combine(state, Op::map(values[i * stride], i));
    }
    states[threadIdx.x] = state;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned i = 1; i < blockDim.x; ++i) {
            state = Op::combine(state, states[i]);
        }
        *result = Op::result(state, n);
    }
    __syncthreads();
}

}  // namespace jitune
