// A block's tile of a stencil: its windows, their sums, and the way of the outputs to memory.
#pragma once

#include "jitune_load.h"
#include "jitune_stencil.h"

namespace jitune {

enum class Evaluation {
    direct,    ///< each output from its own inputs
    by_input,  ///< the same, and each input goes to all outputs that need it before the next comes
    nested,    ///< what a thread's outputs have in common is added once
};

enum class Store {
    standard,
    streaming,  ///< leaves the caches first
};

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

extern __shared__ __align__(16) unsigned char stencil_memory[];

/// A block's tile of consecutive outputs, `outputs` for each thread, and the whole aligned packs of
/// inputs that it needs: they begin `kBefore` inputs before the first output's place.
template <class T, int radius, Boundary boundary, int block, int outputs, int pack_bytes>
struct Tiling {
    static constexpr int kPack = pack_bytes / static_cast<int>(sizeof(T));
    static constexpr int kPacks = outputs / kPack;  // of a thread's outputs
    static constexpr int kWindow = outputs + 2 * radius;
    static constexpr int kReach = reach<boundary>(radius);
    static constexpr int kBefore = (kReach + kPack - 1) / kPack * kPack;
    static constexpr int kLead = kBefore - kReach;
    static constexpr int kWindowPacks = (kLead + kWindow + kPack - 1) / kPack;
    static constexpr int kTile = block * outputs;
    static constexpr int kTilePacks = (block - 1) * kPacks + kWindowPacks;
    using Pack = jitune::Pack<T, kPack>;

    /// Where shared memory has pack i. Threads read at a stride of kPacks: odd strides meet no bank
    /// twice, so even ones get one pack of padding.
    static constexpr __device__ int place(int i) {
        return kPacks % 2 == 0 ? i + i / kPacks : i;
    }
};

/// The kernel reads and writes `count` tiles in packs, from output `first` on. Threads compute the
/// `rest` of the outputs, at both ends, one by one: all of them if the pointers are not aligned to
/// packs.
template <class Tiling>
struct WholeTiles {
    static constexpr Index kInputs = Tiling::kTilePacks * Tiling::kPack;
    static constexpr Index kSkipped = Tiling::kBefore > 0 ? 1 : 0;  // tiles that begin too early
    static constexpr Index first = kSkipped * Tiling::kTile;
    Index count, rest;

    __device__ WholeTiles(const void* input, const void* output, Index n, Index outputs) {
        const bool aligned = ((reinterpret_cast<Index>(input) | reinterpret_cast<Index>(output)) %
                              sizeof(typename Tiling::Pack)) == 0;
        const Index end = min(outputs, n + Tiling::kBefore + Tiling::kTile - kInputs);
        const Index tiles = end / Tiling::kTile;
        count = aligned && tiles > kSkipped ? tiles - kSkipped : 0;
        rest = outputs - count * Tiling::kTile;
    }
    /// Output i of the rest.
    __device__ __forceinline__ Index rest_at(Index i) const {
        return i < first ? i : i + count * Tiling::kTile;
    }
};

/// x[first] + … + x[last] in a balanced tree.
template <int first, int last, class A, class T, int count>
__device__ __forceinline__ A tree_sum(const T (&x)[count]) {
    if constexpr (first == last) {
        return static_cast<A>(x[first]);
    } else {
        constexpr int kMiddle = (first + last) / 2;
        return tree_sum<first, kMiddle, A>(x) + tree_sum<kMiddle + 1, last, A>(x);
    }
}

/// The sums of `group` windows of 2 radius + 1 elements, the first at x[base]. All of them have
/// x[base + group - 1] … x[base + 2 radius] in common; that sum grows to the left for one part of
/// each output, and the rest is a prefix to the right of it: together 2 radius + 2 group - 3
/// additions, as many as a sum that slides along would take, but nothing is subtracted. So the
/// rounding of an output, infinities and NaN come from its own inputs alone.
template <int radius, int base, int group, class A, class T, int count, int outputs>
__device__ __forceinline__ void nested_sums(const T (&x)[count], A (&sums)[outputs]) {
    A left = tree_sum<base + group - 1, base + 2 * radius, A>(x);
    sums[base + group - 1] = left;
#pragma unroll
    for (int r = group - 2; r >= 0; --r) {
        left += static_cast<A>(x[base + r]);
        sums[base + r] = left;
    }
    A right(0);
#pragma unroll
    for (int r = 1; r < group; ++r) {
        const A next(x[base + 2 * radius + r]);
        right = r == 1 ? next : right + next;
        sums[base + r] += right;
    }
    if constexpr (base + group < outputs) {
        nested_sums<radius, base + group, group>(x, sums);
    }
}

/// The largest of `outputs` and its halves, each rounded down, that is at most `limit`; of the
/// outputs that a template has, all of these divide them.
constexpr __device__ int group_of(int outputs, int limit) {
    return outputs <= limit ? outputs : group_of(outputs / 2, limit);
}

/// Adds the product of input i of a window and the weight it has for output r, if it has one.
template <Weighting weighting, int radius, class T, class A, int inputs, int outputs>
__device__ __forceinline__ void add_input(const T (&x)[inputs], int i, int r,
                                          const Weights<T, weighting, radius>& weights,
                                          A (&sums)[outputs]) {
    const int j = i - r;
    if (j < 0 || j > 2 * radius) {
        return;
    }
    A term(x[i]);
    if constexpr (weighting == Weighting::weights) {
        term *= static_cast<A>(weights.values[j]);
    }
    sums[r] = j == 0 ? term : sums[r] + term;
}

/// A thread's outputs from its window.
template <Weighting weighting, int radius, Evaluation evaluation, class T, int outputs>
__device__ __forceinline__ void evaluate(const T (&x)[outputs + 2 * radius],
                                         const Weights<T, weighting, radius>& weights,
                                         T (&results)[outputs]) {
    using A = Accumulator<T, weighting>;
    A sums[outputs];
    if constexpr (evaluation == Evaluation::nested) {
        nested_sums<radius, 0, group_of(outputs, 2 * radius + 1)>(x, sums);
    } else if constexpr (evaluation == Evaluation::by_input) {
#pragma unroll
        for (int i = 0; i < outputs + 2 * radius; ++i) {
#pragma unroll
            for (int r = 0; r < outputs; ++r) {
                add_input<weighting, radius>(x, i, r, weights, sums);
            }
        }
    } else {
#pragma unroll
        for (int j = 0; j <= 2 * radius; ++j) {
#pragma unroll
            for (int r = 0; r < outputs; ++r) {
                add_input<weighting, radius>(x, r + j, r, weights, sums);
            }
        }
    }
#pragma unroll
    for (int r = 0; r < outputs; ++r) {
        results[r] = finish<T, weighting, radius>(sums[r]);
    }
}

/// The window of a thread from packs that lie `pack(i)` after each other.
template <class Tiling, class T, class PackAt>
__device__ __forceinline__ void unpack(T (&x)[Tiling::kWindow], const PackAt& pack) {
#pragma unroll
    for (int i = 0; i < Tiling::kWindowPacks; ++i) {
        const typename Tiling::Pack one = pack(i);
#pragma unroll
        for (int e = 0; e < Tiling::kPack; ++e) {
            const int at = i * Tiling::kPack + e - Tiling::kLead;
            if (at >= 0 && at < Tiling::kWindow) {
                x[at] = one.values[e];
            }
        }
    }
}

template <Store store, class P>
__device__ __forceinline__ void store_pack(P* to, P pack) {
    if constexpr (store == Store::standard) {
        *to = pack;
    } else if constexpr (sizeof(P) == 16) {
        const auto bits = __builtin_bit_cast(uint4, pack);
        asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(bits.x),
                     "r"(bits.y), "r"(bits.z), "r"(bits.w)
                     : "memory");
    } else if constexpr (sizeof(P) == 8) {
        const auto bits = __builtin_bit_cast(uint2, pack);
        asm volatile("st.global.cs.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(bits.x), "r"(bits.y)
                     : "memory");
    } else {
        asm volatile("st.global.cs.u32 [%0], %1;" ::"l"(to), "r"(__builtin_bit_cast(unsigned, pack))
                     : "memory");
    }
}

/// A tile's outputs. By exchange each warp writes the packs of its own threads through `staged`,
/// of which no other warp may read any more what is in the place of its own.
template <class Tiling, int outputs, int exchange, Store store, class T>
__device__ __forceinline__ void store_tile(T (&results)[outputs], typename Tiling::Pack* staged,
                                           typename Tiling::Pack* to) {
    using P = typename Tiling::Pack;
    constexpr int kPacks = Tiling::kPacks;
    P packs[kPacks];
#pragma unroll
    for (int i = 0; i < outputs; ++i) {
        packs[i / Tiling::kPack].values[i % Tiling::kPack] = results[i];
    }
    const int own = threadIdx.x * kPacks;
    if constexpr (exchange == 0) {
#pragma unroll
        for (int i = 0; i < kPacks; ++i) {
            store_pack<store>(to + own + i, packs[i]);
        }
    } else {
        P* const mine = staged + Tiling::place(own);
        __syncwarp();
#pragma unroll
        for (int i = 0; i < kPacks; ++i) {
            mine[i] = packs[i];
        }
        __syncwarp();
        const int lane = threadIdx.x % kWarp;
        const int first = (threadIdx.x - lane) * kPacks + lane;
#pragma unroll
        for (int i = 0; i < kPacks; ++i) {
            const int at = first + i * kWarp;
            store_pack<store>(to + at, staged[Tiling::place(at)]);
        }
    }
}

}  // namespace jitune
