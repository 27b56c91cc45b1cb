// What one thread of the flat reduction has combined so far of the packs that it is given.
#pragma once

#include "jitune_block.h"

namespace jitune {

/// Lanes that do not wait for each other: as many as a pack has elements, but no more than 64 bytes
/// of them.
template <class Op, class T, int pack>
struct Lanes {
    using State = typename Op::State;
    static constexpr int kMost = sizeof(State) >= 64 ? 1 : 64 / sizeof(State);
    static constexpr int kCount = pack < kMost ? pack : kMost;
    State states[kCount];

    __device__ __forceinline__ Lanes() {
#pragma unroll
        for (State& state : states) {
            state = Op::identity();
        }
    }
    /// The elements of a pack, the first of which has the given index.
    __device__ __forceinline__ void add(const Pack<T, pack>& elements, Index index) {
#pragma unroll
        for (int i = 0; i < pack; ++i) {
            State& state = states[i % kCount];
            state = Op::combine(state, Op::map(elements.values[i], index + i));
        }
    }
    __device__ __forceinline__ State combine() const {
        State state = states[0];
#pragma unroll
        for (int i = 1; i < kCount; ++i) {
            state = Op::combine(state, states[i]);
        }
        return state;
    }
};

/// Of a value and its index: the first pack that has the best value, which is searched only at the
/// end. Packs must come in the order of their indexes, so that no indexes need be compared, and
/// there must be an element: if none is better than the identity, all are equal, and the first of
/// the array wins.
template <class Op, class T, int pack>
    requires kIsIndexed<typename Op::State>
struct Lanes<Op, T, pack> {
    using State = typename Op::State;
    State best{Op::identity().value, 0};
    Pack<T, pack> elements_of_best{};

    __device__ __forceinline__ void add(const Pack<T, pack>& elements, Index index) {
        State first = Op::map(elements.values[0], index);
#pragma unroll
        for (int i = 1; i < pack; ++i) {
            first.value = better_of<Op::kSmallest>(first.value, Op::map(elements.values[i], index).value);
        }
        if (Op::improves(first.value, best.value)) {
            best = first;
            elements_of_best = elements;
        }
    }
    __device__ __forceinline__ State combine() const {
        State state = best;
#pragma unroll
        for (int i = pack - 1; i >= 0; --i) {
            const State one = Op::map(elements_of_best.values[i], best.index + i);
            if (!Op::improves(best.value, one.value)) {
                state.index = one.index;
            }
        }
        return state;
    }
};

}  // namespace jitune
