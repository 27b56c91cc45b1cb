// Ragged segments, and a walk over all their elements and all their ends, of which blocks take
// equal shares whatever the lengths are. D. Merrill and M. Garland, "Merge-based Parallel Sparse
// Matrix-Vector Multiplication" (SC 2016), share out the rows of a matrix so.
#pragma once

#include "jitune_block.h"

namespace jitune {

/// Segment s is values[offsets[s], offsets[s + 1]).
template <class T, class R>
struct Segments {
    const T* values;
    const long long* offsets;
    Index count;
    Index n;
    R* results;

    __device__ __forceinline__ Index begin(Index segment) const {
        return static_cast<Index>(offsets[segment]);
    }
    __device__ __forceinline__ Index end(Index segment) const { return begin(segment + 1); }
};

/// The end of a segment weighs as much as this many elements: the best of 4, 8, 16 and 28 on an
/// H200.
constexpr Index kStepsOfEnd = 28;

/// Element e of segment s is step e + kStepsOfEnd * s of the walk; the end of segment s is the step
/// behind its last element.
template <class T, class R>
__device__ __forceinline__ Index step_of_begin(const Segments<T, R>& segments, Index segment) {
    return segments.begin(segment) + kStepsOfEnd * segment;
}
template <class T, class R>
__device__ __forceinline__ Index step_of_end(const Segments<T, R>& segments, Index segment) {
    return segments.end(segment) + kStepsOfEnd * segment;
}

/// How many segments end before `step`. By a whole warp, whose lanes look at 32 places at once.
template <class T, class R>
__device__ __forceinline__ Index ends_before(const Segments<T, R>& segments, Index step) {
    Index low = 0;
    Index high = step == 0 ? 0 : segments.count;
    while (low < high) {
        const Index stride = (high - low + 31) / 32;
        const Index at = low + threadIdx.x % 32 * stride;
        const bool is_before = at < high && step_of_end(segments, at) < step;
        const unsigned before = __popc(__ballot_sync(0xffffffffu, is_before));
        if (before == 0) {
            return low;
        }
        high = min(high, low + before * stride);
        low += (before - 1) * stride + 1;
    }
    return low;
}

/// The state that another lane of the warp has. All 32 lanes must call it.
template <class State>
__device__ __forceinline__ State state_of_lane(State state, unsigned lane) {
    static_assert(sizeof(State) <= 16, "the state of an operation has at most 16 bytes");
    constexpr int kWords = (sizeof(State) + 3) / 4;
    struct alignas(sizeof(State) < 4 ? 4 : alignof(State)) Widened {
        State state;
    };
    struct Words {
        unsigned words[kWords];
    };
    static_assert(sizeof(Widened) == sizeof(Words));
    Words all = __builtin_bit_cast(Words, Widened{state});
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
        all.words[i] = __shfl_sync(0xffffffffu, all.words[i], lane);
    }
    return __builtin_bit_cast(Widened, all).state;
}

/// The combination with the states of the lanes below, down to the nearest one that is in `breaks`,
/// itself included: breaks has a bit for each lane at which a segment ends. In order of lanes.
template <class Op>
__device__ __forceinline__ typename Op::State scan_warp(typename Op::State state,
                                                        unsigned breaks) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned below = breaks & (0xffffffffu >> (31 - lane));
    const unsigned first = below == 0 ? 0 : 31 - __clz(below);
#pragma unroll
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const auto other = state_of_lane(state, lane >= distance ? lane - distance : lane);
        if (lane >= first + distance) {
            state = Op::combine(other, state);
        }
    }
    return state;
}

template <class Op, class T, class R>
__device__ __forceinline__ void write_result(const Segments<T, R>& segments, Index segment,
                                             const typename Op::State& state) {
    segments.results[segment] = Op::result(state, segments.end(segment) - segments.begin(segment));
}

}  // namespace jitune
