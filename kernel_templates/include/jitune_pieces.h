// How a block shares out pieces of work of very different sizes among its threads. `Pieces` has, for
// the number of a piece,
//     size(piece)                  in elements
//     combine(piece, lane, lanes)  the share of one of `lanes` threads
//     finish(piece, state)         what becomes of the combination
#pragma once

#include "jitune_block.h"

namespace jitune {

/// Pieces queue[0, queued) by groups of `threads`.
template <class Op, int block, int threads, class Pieces>
__device__ __forceinline__ void reduce_queue(const Pieces& pieces, Index base,
                                             const unsigned short* queue, unsigned queued) {
    for (unsigned start = 0; start < queued; start += block / threads) {
        const unsigned i = start + threadIdx.x / threads;
        auto state = i < queued ? pieces.combine(base + queue[i], threadIdx.x % threads, threads)
                                : Op::identity();
        state = combine_warp<Op, threads>(state);
        if (i < queued && threadIdx.x % threads == 0) {
            pieces.finish(base + queue[i], state);
        }
    }
}

/// Pieces first, first + 1 … of windows that are `stride` apart, below `last`: empty ones by their
/// thread alone, short ones by groups of `threads`, longer ones by warps, the longest by the whole
/// block. All threads of the block call it, and have a barrier after it.
template <class Op, int block, int threads, int window, int short_size, class Pieces>
__device__ __forceinline__ void reduce_pieces(const Pieces& pieces, Index first, Index last,
                                              Index stride) {
    constexpr Index kShort = Index{short_size} * threads;
    constexpr Index kMedium = Index{short_size} * 32;
    __shared__ unsigned short queues[3][window];
    __shared__ unsigned queued[3];
    for (Index base = first; base < last; base += stride) {
        if (threadIdx.x < 3) {
            queued[threadIdx.x] = 0;
        }
        __syncthreads();
        const Index segment = base + threadIdx.x;
        if (threadIdx.x < window && segment < last) {
            const Index size = pieces.size(segment);
            if (size == 0) {
                pieces.finish(segment, Op::identity());
            } else if (threads == 1 && size <= kShort) {
                pieces.finish(segment, pieces.combine(segment, 0, 1));
            } else {
                const int kind = size <= kShort ? 0 : size <= kMedium ? 1 : 2;
                queues[kind][atomicAdd(&queued[kind], 1u)] =
                    static_cast<unsigned short>(threadIdx.x);
            }
        }
        __syncthreads();
        if constexpr (threads > 1) {
            reduce_queue<Op, block, threads>(pieces, base, queues[0], queued[0]);
        }
        reduce_queue<Op, block, 32>(pieces, base, queues[1], queued[1]);
        for (unsigned i = 0; i < queued[2]; ++i) {
            const Index one = base + queues[2][i];
            const auto state =
                combine_block<Op, block>(pieces.combine(one, threadIdx.x, block));
            if (threadIdx.x == 0) {
                pieces.finish(one, state);
            }
            __syncthreads();
        }
        __syncthreads();
    }
}

}  // namespace jitune
