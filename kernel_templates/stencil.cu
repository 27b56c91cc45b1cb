/* jitune template
kernel = "stencil"
backend = "cuda"
summary = "weighted sums of the neighbourhoods of n elements"
include = ["stencil_types.toml"]
sizes = ["n"]
constraints = [
    "block <= max_threads_per_block",
    "pack_bytes >= element_bytes",
    "outputs_per_thread % pack = 0",
    "shared_bytes <= shared_bytes_per_block",
    "evaluation <> 'nested' OR (weighting <> 'weights' AND outputs_per_thread > 1)",
    "exchange = 0 OR packs > 1",
    "(blocks_per_sm > 0) = by_bulk",
    "NOT by_bulk OR (compute_capability >= 90 AND pack_bytes = 16 AND packs % 2 = 1 AND exchange = 1)",
    "async = 0 OR (staging = 'shared' AND compute_capability >= 80)",
    # A warp's register cache has a second set of as many inputs, not a third.
    "staging <> 'register_cache' OR lead + 2 * radius <= warp_size * outputs_per_thread",
    # Neighbours' loads meet in L1, except where shared memory has the one copy.
    "load = 'standard' OR (staging = 'shared' AND async = 0 AND pack_bytes = 16 AND compute_capability >= 80)",
]
prune = [
    # The largest packs; single elements are for pointers that are aligned to no more.
    "pack_bytes IN (16, element_bytes)",
    "pack_bytes < 16 OR outputs_per_thread <= iif(by_bulk, 5, 4) * pack",
    "pack_bytes = 16 OR (staging = 'shared' AND packs > 1 AND exchange = 1 AND block = 256)",
    "block >= 128 AND (staging = 'shared' OR block <= 256)",
    # Where memory leaves no time to add, and so much that blocks which stay are worth it.
    "NOT by_bulk OR (weighting = 'weights' AND radius >= 16)",
    "by_bulk = (outputs_per_thread IN (6, 10, 12, 20))",
    "(evaluation <> 'nested') = (weighting = 'weights' OR outputs_per_thread = 1) OR radius = 1",
    # An input that comes late and goes early leaves registers, where enough others hide its way.
    "(evaluation = 'by_input') = by_bulk",
    "load = 'standard' OR bytes > l2_bytes / 4",
    "store = 'standard' OR bytes > l2_bytes / 4",
]
reproducibility = "iif(element = 'int32', 'exact', 'fixed')"

[parameters]
staging = { values = ["shared", "bulk", "register_cache", "direct"], default = "shared", type = "jitune::Staging" }
block = { values = [64, 128, 256, 512], default = 256 }
outputs_per_thread = { values = [1, 2, 4, 6, 8, 10, 12, 16, 20], default = 8 }
pack_bytes = { values = [4, 8, 16], default = 16 }
evaluation = { values = ["direct", "by_input", "nested"], default = "nested", type = "jitune::Evaluation" }
# 1: outputs go through shared memory, so that a warp stores in one piece.
exchange = { values = [0, 1], default = 1 }
# 1: from global to shared memory past the registers (cp.async).
async = { values = [0, 1], default = 0 }
# Of `bulk`, whose blocks stay for tile after tile.
blocks_per_sm = { values = [0, 2, 3, 4, 6, 8], default = 0 }
load = { values = ["standard", "streaming"], default = "standard", type = "jitune::Load" }
store = { values = ["standard", "streaming"], default = "standard", type = "jitune::Store" }

[derived]
by_bulk = "staging = 'bulk'"
pack = "pack_bytes / element_bytes"
packs = "outputs_per_thread / pack"
tile = "block * outputs_per_thread"
tiles = "ceil_div(outputs, tile)"
is_small = "n <= 8192 * sm_count"
end_blocks = "iif(boundary = 'valid', 1, 2) * outputs_per_thread"
# As Tiling has them.
lead = "iif(boundary = 'valid', 0, ceil_div(radius, pack) * pack - radius)"
tile_packs = "(block - 1) * packs + ceil_div(lead + outputs_per_thread + 2 * radius, pack)"
padding = "1 - packs % 2"
staged_packs = "tile_packs + padding * (tile_packs / packs)"
exchanged_packs = "exchange * block * (packs + padding)"
shared_bytes = "pack_bytes * iif(staging = 'shared', staged_packs, exchanged_packs + iif(by_bulk, 2 * tile_packs, 0))"

[[default]]  # a neighbourhood of few packs: L1 has the neighbours' loads
# The defaults follow winners on an H200; docs/reference/performance.md has what they lose.
when = "radius <= 8"
staging = "direct"
block = "iif(element_bytes = 8 AND is_small, 128, 256)"
outputs_per_thread = "16 / element_bytes"
evaluation = "iif(weighting = 'weights', 'direct', 'nested')"
exchange = 0

[[default]]  # so many products that blocks which stay hide the loads
when = "weighting = 'weights' AND element_bytes = 4 AND radius >= 24 AND NOT is_small AND compute_capability >= 90"
staging = "bulk"
block = 128
outputs_per_thread = 12
evaluation = "by_input"
blocks_per_sm = 4

[[default]]
when = "weighting = 'weights' AND element_bytes = 4"
staging = "iif(is_small, 'shared', 'direct')"
block = "iif(is_small, 256, 128)"
outputs_per_thread = "iif(is_small, 4, 8)"
evaluation = "direct"
exchange = 0

[[default]]
when = "weighting = 'weights'"
staging = "iif(is_small, 'register_cache', 'shared')"
block = 128
outputs_per_thread = "iif(is_small, 2, 8)"
evaluation = "direct"
exchange = "iif(is_small, 0, 1)"

[[default]]  # sums: the more inputs, the more outputs share them
when = "element_bytes = 4"
staging = "register_cache"
block = 128
outputs_per_thread = "iif(radius >= 24 AND NOT is_small, 16, 8)"

[[default]]
when = "radius < 16 OR is_small"
staging = "register_cache"
block = 128
outputs_per_thread = 4
exchange = 0

[[default]]
block = 128

[arguments]
input = { access = "in", type = "element", count = "n" }
weights = { access = "value", type = "element", count = "weight_count" }
n = { access = "scalar", type = "uint64", value = "n" }
output = { access = "out", type = "element", count = "outputs" }

[[launch]]
entry = "jitune::stencil"
template = ["element", "radius", "weighting", "boundary", "staging", "block", "outputs_per_thread", "pack_bytes", "evaluation", "exchange", "async", "load", "store"]
arguments = ["input", "weights", "n", "output"]
block = "block"
grid = "iif(by_bulk, min(tiles, sm_count * blocks_per_sm), min(tiles + end_blocks, 2147483647))"
programmatic = "compute_capability >= 90"
shared_bytes = "shared_bytes"
*/
#include "jitune_stencil_bulk.h"
#include "jitune_stencil_tile.h"

namespace jitune {

/// How a thread comes by its neighbours' inputs.
enum class Staging { shared, bulk, register_cache, direct };

template <class P>
__device__ __forceinline__ void copy_async(P* shared, const P* from) {
    const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    if constexpr (sizeof(P) == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from),
                     "n"(sizeof(P))
                     : "memory");
    }
}

/// A tile's inputs to shared memory, all loads in flight before the first is used.
template <class Tiling, int block, int async, Load load>
__device__ __forceinline__ void stage(const typename Tiling::Pack* from,
                                      typename Tiling::Pack* staged) {
    using P = typename Tiling::Pack;
    constexpr int kTrips = (Tiling::kTilePacks + block - 1) / block;
    const auto has = [](int i) { return i < Tiling::kTilePacks; };
    const int first = threadIdx.x;
    if constexpr (async != 0) {
#pragma unroll
        for (int u = 0; u < kTrips; ++u) {
            if (has(first + u * block)) {
                copy_async(staged + Tiling::place(first + u * block), from + first + u * block);
            }
        }
        asm volatile("cp.async.wait_all;" ::: "memory");
    } else {
        const Loader<load> loader;
        P loaded[kTrips];
#pragma unroll
        for (int u = 0; u < kTrips; ++u) {
            if (has(first + u * block)) {
                loaded[u] = loader(from + first + u * block);
            }
        }
#pragma unroll
        for (int u = 0; u < kTrips; ++u) {
            if (has(first + u * block)) {
                staged[Tiling::place(first + u * block)] = loaded[u];
            }
        }
    }
    __syncthreads();
}

/// The register cache: a lane loads the packs under its own outputs, the first lanes also those
/// behind the warp's last. What a lane needs from the lane `ahead` of it is published by that lane,
/// out of its second set if the count has wrapped around to it.
template <class Tiling, int outputs, class T>
__device__ __forceinline__ void exchange_window(const typename Tiling::Pack* of_warp,
                                                T (&x)[Tiling::kWindow]) {
    constexpr int kPack = Tiling::kPack;
    constexpr int kHalo = Tiling::kWindowPacks - Tiling::kPacks;
    static_assert(Tiling::kLead + Tiling::kWindow - outputs <= kWarp * outputs);
    const Loader<Load::standard> loader;
    const int lane = threadIdx.x % kWarp;
    T own[outputs];
    T halo[outputs];
#pragma unroll
    for (int i = 0; i < Tiling::kPacks; ++i) {
        const int at = lane * Tiling::kPacks + i;
        const typename Tiling::Pack mine = loader(of_warp + at);
        typename Tiling::Pack behind{};
        if (at < kHalo) {
            behind = loader(of_warp + kWarp * Tiling::kPacks + at);
        }
#pragma unroll
        for (int e = 0; e < kPack; ++e) {
            own[i * kPack + e] = mine.values[e];
            halo[i * kPack + e] = behind.values[e];
        }
    }
#pragma unroll
    for (int i = 0; i < Tiling::kWindow; ++i) {
        const int ahead = (i + Tiling::kLead) / outputs;
        const int place = (i + Tiling::kLead) % outputs;
        const T published = lane < ahead ? halo[place] : own[place];
        x[i] = ahead == 0 ? published
                          : __shfl_sync(kAllLanes, published, (lane + ahead) % kWarp);
    }
}

/// Any grid of one dimension and any pointers to T: tiles that lie inside go in packs if input and
/// output are aligned to them, others output by output, one for each thread of a block. The register
/// cache by shuffles, with several outputs for each thread, is that of E. Ben-Sasson et al., "Fast
/// multiplication in binary fields on GPUs via register cache" (2016), which NVIDIA's article of 2017
/// shows on this stencil.
template <class T, int radius, Weighting weighting, Boundary boundary, Staging staging, int block,
          int outputs, int pack_bytes, Evaluation evaluation, int exchange, int async, Load load,
          Store store>
__global__ void __launch_bounds__(block)
    stencil(const T* input, const __grid_constant__ Weights<T, weighting, radius> weights, Index n,
            T* output) {
    using Tiles = Tiling<T, radius, boundary, block, outputs, pack_bytes>;
    using P = typename Tiles::Pack;
    wait_for_earlier_work();
    if constexpr (staging == Staging::bulk) {
        stencil_by_bulk<Tiles, weighting, boundary, radius, block, outputs, evaluation, store, 2>(
            input, weights, n, output);
        return;
    }
    const WholeTiles<Tiles> whole(input, output, n, output_count<boundary>(n, radius));
    // The ends first, so that they hide behind the tiles: an output takes as long as a whole tile.
    const Index ends = (whole.rest + block - 1) / block;
    for (Index turn = blockIdx.x; turn < ends + whole.count; turn += gridDim.x) {
        if (turn < ends) {
            if (const Index i = turn * block + threadIdx.x; i < whole.rest) {
                const Index o = whole.rest_at(i);
                output[o] = output_at<weighting, boundary, radius>(input, n, o, weights);
            }
            continue;
        }
        const Index first = whole.first + (turn - ends) * Tiles::kTile;
        const P* const from = reinterpret_cast<const P*>(input + first - Tiles::kBefore);
        const int own = threadIdx.x * Tiles::kPacks;
        T x[Tiles::kWindow];
        if constexpr (staging == Staging::shared) {
            P* const staged = reinterpret_cast<P*>(stencil_memory);
            if (turn != blockIdx.x) {
                __syncthreads();  // the tile before has been read
            }
            stage<Tiles, block, async, load>(from, staged);
            const P* const mine = staged + Tiles::place(own);
            unpack<Tiles>(x, [&](int i) { return mine[Tiles::place(i)]; });
            if constexpr (exchange != 0) {
                __syncthreads();
            }
        } else if constexpr (staging == Staging::register_cache) {
            exchange_window<Tiles, outputs>(from + own - threadIdx.x % kWarp * Tiles::kPacks, x);
        } else {
            const Loader<load> loader;
            unpack<Tiles>(x, [&](int i) { return loader(from + own + i); });
        }
        T results[outputs];
        evaluate<weighting, radius, evaluation>(x, weights, results);
        store_tile<Tiles, outputs, exchange, store>(results, reinterpret_cast<P*>(stencil_memory),
                                                    reinterpret_cast<P*>(output + first));
    }
}

}  // namespace jitune
