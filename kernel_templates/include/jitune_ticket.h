// How the blocks that hold parts of one result find out which of them is the last.
#pragma once

#include "jitune_finish.h"

namespace jitune {

/// True in all threads of the block that arrives last of `blocks`; its reads then see what all
/// threads of the others wrote before. The ticket is left zero. Barriers before and after.
__device__ __forceinline__ bool block_arrives_last(unsigned* ticket, unsigned blocks) {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        last = arrives_last(ticket, blocks);
    }
    __syncthreads();
    return last;
}

}  // namespace jitune
