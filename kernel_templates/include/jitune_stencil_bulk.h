// A stencil whose blocks stay, each with the inputs of its next tiles under way while it adds.
#pragma once

#include "jitune_bulk.h"
#include "jitune_stencil_tile.h"

namespace jitune {

/// All outputs by any grid of one dimension: tiles that lie inside from a ring that the bulk copy
/// engine fills, which takes `ring_stages * kTilePacks` packs of shared memory, with as many behind
/// it as the tile's outputs for their exchange. Threads compute the outputs at both ends
/// one by one while the first tiles come, and all outputs if the pointers are not aligned to 16
/// bytes. A thread's number of packs is odd: there is no padding in a bulk copy.
template <class Tiling, Weighting weighting, Boundary boundary, int radius, int block, int outputs,
          Evaluation evaluation, Store store, int ring_stages, class T>
__device__ __forceinline__ void stencil_by_bulk(const T* input,
                                                const Weights<T, weighting, radius>& weights,
                                                Index n, T* output) {
#if __CUDA_ARCH__ >= 900
    using P = typename Tiling::Pack;
    static_assert(Tiling::kPacks % 2 == 1 && sizeof(P) == 16);
    constexpr int kTileBytes = Tiling::kTilePacks * 16;
    const Index count = output_count<boundary>(n, radius);
    const WholeTiles<Tiling> whole(input, output, n, count);
    unsigned char* const exchanged = stencil_memory + ring_stages * kTileBytes;
    BulkRing<ring_stages, kTileBytes, Tiling::kTile * sizeof(T)> ring(
        input + whole.first - Tiling::kBefore, whole.count, stencil_memory);
    for (Index i = blockIdx.x * Index(block) + threadIdx.x; i < whole.rest;
         i += gridDim.x * Index(block)) {
        const Index o = whole.rest_at(i);
        output[o] = output_at<weighting, boundary, radius>(input, n, o, weights);
    }
    for (Index tile = blockIdx.x; tile < whole.count; tile += gridDim.x) {
        const P* const mine =
            reinterpret_cast<const P*>(ring.wait()) + threadIdx.x * Tiling::kPacks;
        T x[Tiling::kWindow];
        unpack<Tiling>(x, [&](int i) { return mine[i]; });
        T results[outputs];
        evaluate<weighting, radius, evaluation>(x, weights, results);
        store_tile<Tiling, outputs, 1, store>(
            results, reinterpret_cast<P*>(exchanged),
            reinterpret_cast<P*>(output + whole.first + tile * Tiling::kTile));
        ring.release(tile);
    }
#endif
}

}  // namespace jitune
