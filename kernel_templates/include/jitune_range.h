// How threads combine a run of elements: wide aligned loads, several in flight, edges peeled.
#pragma once

#include "jitune_block.h"

namespace jitune {

/// As many elements as the widest load takes.
template <class T>
constexpr int kWidestPack = 16 / sizeof(T);

/// The elements from `address` up to the next one that is aligned for a pack.
template <class T, int pack>
__device__ __forceinline__ unsigned elements_to_alignment(const T* address) {
    constexpr unsigned kBytes = sizeof(T) * pack;
    const unsigned past = static_cast<unsigned>(reinterpret_cast<Index>(address)) % kBytes;
    return (kBytes - past) % kBytes / sizeof(T);
}

template <int bytes>
struct WordOf;
template <>
struct WordOf<1> {
    using Type = unsigned char;
};
template <>
struct WordOf<2> {
    using Type = unsigned short;
};
template <>
struct WordOf<4> {
    using Type = unsigned;
};
template <>
struct WordOf<8> {
    using Type = uint2;
};
template <>
struct WordOf<16> {
    using Type = uint4;
};

/// A pack as one word of memory. Packs that are loaded under a condition are kept so: an array of
/// smaller elements would end up in local memory.
template <class T, int pack>
using Word = typename WordOf<sizeof(T) * pack>::Type;

/// Leaves the combination of states[0, 2 * half) in states[0]. It is a recursion, because compilers
/// unroll no loop over halves, and what is not unrolled ends up in local memory.
template <class Op, int half>
__device__ __forceinline__ void combine_halves(typename Op::State* states) {
    if constexpr (half > 0) {
#pragma unroll
        for (int i = 0; i < half; ++i) {
            states[i] = Op::combine(states[i], states[i + half]);
        }
        combine_halves<Op, half / 2>(states);
    }
}

/// The combination of a pack whose first element has this index, pairwise. If the state is a value
/// and its index, the indexes in the pack, which the compiler knows, are compared.
template <class Op, class T, int pack>
__device__ __forceinline__ typename Op::State combine_pack(const Word<T, pack>& loaded,
                                                           Index index) {
    using State = typename Op::State;
    const auto elements = __builtin_bit_cast(Pack<T, pack>, loaded);
    const Index start = kIsIndexed<State> ? 0 : index;
    State states[pack];
#pragma unroll
    for (int i = 0; i < pack; ++i) {
        states[i] = Op::map(elements.values[i], start + i);
    }
    combine_halves<Op, pack / 2>(states);
    if constexpr (kIsIndexed<State>) {
        states[0].index += index;
    }
    return states[0];
}

/// The share of thread `lane` of `lanes` in the combination of values[0, n), which needs the
/// alignment of T only and of which nothing beyond is read. `start` is the index of values[0].
template <class Op, class T, int pack, int unroll>
__device__ __forceinline__ typename Op::State combine_range(const T* __restrict__ values, Index n,
                                                            unsigned lane, unsigned lanes,
                                                            Index start = 0) {
    const Index to_alignment = elements_to_alignment<T, pack>(values);
    const Index head = to_alignment < n ? to_alignment : n;
    const Index packs = (n - head) / pack;
    const Index edges = n - packs * pack;
    const auto* first = reinterpret_cast<const Word<T, pack>*>(values + head);

    // The first element at an edge is on its way while the packs are combined.
    const Index edge = lane < head ? lane : lane + packs * pack;
    T edge_value{};
    if (lane < edges) {
        edge_value = values[edge];
    }
    typename Op::State state = Op::identity();
    const Index stride = lanes;
    Index i = lane;
    Word<T, pack> loaded[unroll];
    for (; i + (unroll - 1) * stride < packs; i += unroll * stride) {
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            loaded[u] = first[i + u * stride];
        }
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            const Index index = start + head + (i + u * stride) * pack;
            state = Op::combine(state, combine_pack<Op, T, pack>(loaded[u], index));
        }
    }
    if constexpr (unroll > 1) {
#pragma unroll
        for (int u = 0; u < unroll - 1; ++u) {
            if (i + u * stride < packs) {
                loaded[u] = first[i + u * stride];
            }
        }
#pragma unroll
        for (int u = 0; u < unroll - 1; ++u) {
            if (i + u * stride < packs) {
                const Index index = start + head + (i + u * stride) * pack;
                state = Op::combine(state, combine_pack<Op, T, pack>(loaded[u], index));
            }
        }
    }
    if (lane < edges) {
        state = Op::combine(state, Op::map(edge_value, start + edge));
    }
    for (Index more = lane + stride; more < edges; more += stride) {
        const Index at = more < head ? more : more + packs * pack;
        state = Op::combine(state, Op::map(values[at], start + at));
    }
    return state;
}

/// A run of elements, values[begin, end), of an array of n. The pack that holds the first one starts
/// `padding` elements before it, at an aligned address.
template <class T>
struct Run {
    const T* values;
    Index n;
    Index begin;
    Index end;
    unsigned padding;

    /// Pack number `i` lies in values[0, n) and has elements of the run.
    template <int pack>
    __device__ __forceinline__ bool has_whole(Index i) const {
        const Index from = begin + i * pack;
        return from >= padding && from + pack <= n + padding && from < end + padding;
    }
    template <int pack>
    __device__ __forceinline__ const T* pack_at(Index i) const {
        return values + (begin + i * pack - padding);
    }
};

/// What a thread of a block holds of a run of at most kElements, padding included.
template <class T, int pack, int unroll, int block>
struct Stage {
    using Loaded = Word<T, pack>;
    static constexpr int kElements = pack * unroll * block;
    Loaded loaded[unroll];

    __device__ __forceinline__ void load(const Run<T>& run) {
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            const unsigned i = threadIdx.x + u * block;
            if (run.template has_whole<pack>(i)) {
                loaded[u] = *reinterpret_cast<const Loaded*>(run.template pack_at<pack>(i));
            }
        }
    }

    /// Element values[begin + i] goes to target[padding + i]. The elements of packs that only
    /// partly lie in values[0, n), the first and the last one, are read only now. All threads call
    /// it.
    __device__ __forceinline__ void store(const Run<T>& run, Loaded* target) const {
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            const unsigned i = threadIdx.x + u * block;
            if (run.template has_whole<pack>(i)) {
                target[i] = loaded[u];
            }
        }
        auto* elements = reinterpret_cast<T*>(target);
        const Index count = run.padding + (run.end - run.begin);
        const Index last = count > 0 ? (count - 1) / pack : 0;
        for (unsigned i = threadIdx.x; i < 2 * pack; i += block) {
            const Index in = i < pack ? 0 : last;
            const Index at = in * pack + i % pack;
            if (at >= run.padding && at < count && !run.template has_whole<pack>(in)) {
                elements[at] = run.values[run.begin + (at - run.padding)];
            }
        }
    }
};

}  // namespace jitune
