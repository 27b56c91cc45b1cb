// What the threads of a warp and of a block do together in a reduction. `Op` is an operation over
// its types, Sum<float, float, float>.
#pragma once

#include "jitune_operations.h"

namespace jitune {

template <class T, int count>
struct alignas(sizeof(T) * count) Pack {
    T values[count];
};

/// The state of the thread whose lane differs by `mask`, word by word.
template <class State>
__device__ __forceinline__ State exchange(State state, int mask) {
    static_assert(sizeof(State) <= 256);
    if constexpr (sizeof(State) % 4 != 0) {
        static_assert(sizeof(State) < 4, "the state of an operation is whole words, or less than one");
        struct alignas(4) Widened {
            State state;
        };
        return exchange(Widened{state}, mask).state;
    } else {
        struct Words {
            unsigned words[sizeof(State) / 4];
        };
        Words all = __builtin_bit_cast(Words, state);
#pragma unroll
        for (int i = 0; i < static_cast<int>(sizeof(State) / 4); ++i) {
            all.words[i] = __shfl_xor_sync(0xffffffffu, all.words[i], mask);
        }
        return __builtin_bit_cast(State, all);
    }
}

/// What the hardware combines a whole warp of at once: 32-bit integers, from sm_80 on (PTX ISA,
/// redux.sync).
template <class Op>
constexpr bool kHardwareCombines =
#if __CUDA_ARCH__ >= 800
    (kSame<typename Op::State, int> || kSame<typename Op::State, unsigned>) &&
    (Op::kCombination == Combination::add || Op::kCombination == Combination::smallest ||
     Op::kCombination == Combination::largest);
#else
    false;
#endif

/// The combination over each aligned group of `lanes` lanes of the warp, in every lane of it, in an
/// order that does not depend on timing. All 32 lanes must call it.
template <class Op, int lanes = 32>
__device__ __forceinline__ typename Op::State combine_warp(typename Op::State state) {
    if constexpr (lanes == 32 && kHardwareCombines<Op>) {
        if constexpr (Op::kCombination == Combination::add) {
            return __reduce_add_sync(0xffffffffu, state);
        } else if constexpr (Op::kCombination == Combination::smallest) {
            return __reduce_min_sync(0xffffffffu, state);
        } else {
            return __reduce_max_sync(0xffffffffu, state);
        }
    } else {
#pragma unroll
        for (int mask = lanes / 2; mask > 0; mask /= 2) {
            state = Op::combine(state, exchange(state, mask));
        }
        return state;
    }
}

/// The combination over the block, in every thread of warp 0. All threads must call it, with a
/// barrier between two calls.
template <class Op, int block>
__device__ __forceinline__ typename Op::State combine_block(typename Op::State state) {
    constexpr int kWarps = block / 32;
    state = combine_warp<Op>(state);
    if constexpr (kWarps > 1) {
        __shared__ typename Op::State warp_states[kWarps];
        if (threadIdx.x % 32 == 0) {
            warp_states[threadIdx.x / 32] = state;
        }
        __syncthreads();
        if (threadIdx.x < 32) {
            state = combine_warp<Op, kWarps>(warp_states[threadIdx.x % kWarps]);
        }
    }
    return state;
}

}  // namespace jitune
