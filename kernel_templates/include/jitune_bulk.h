// A ring of tiles in shared memory that the bulk copy engine (TMA) fills: one thread asks for
// tiles, all threads use them, and no register holds what is under way (PTX ISA, cp.async.bulk and
// mbarrier; sm_90 and above).
#pragma once

#include "jitune_load.h"

namespace jitune {

#if __CUDA_ARCH__ >= 900

/// The ring of one block. Tiles are blockIdx.x, blockIdx.x + gridDim.x, … of `source`, which is
/// aligned to 16 bytes; they begin `stride_bytes` after each other. `ring` is stages * tile_bytes of
/// shared memory, aligned to 128.
template <int stages, int tile_bytes, int stride_bytes = tile_bytes>
class BulkRing {
public:
    static_assert(tile_bytes % 16 == 0 && stride_bytes % 16 == 0,
                  "bulk copies take multiples of 16 bytes");

    /// All threads of the block construct it, and it begins to fill.
    __device__ __forceinline__ BulkRing(const void* source, Index tiles, unsigned char* ring)
        : source_(static_cast<const unsigned char*>(source)), tiles_(tiles), ring_(ring) {
        __shared__ alignas(8) unsigned long long full[stages];
        full_ = static_cast<unsigned>(__cvta_generic_to_shared(full));
        if (threadIdx.x == 0) {
#pragma unroll
            for (int stage = 0; stage < stages; ++stage) {
                asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full_ + stage * 8)
                             : "memory");
            }
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
            Index tile = blockIdx.x;
#pragma unroll 1
            for (int stage = 0; stage < stages; ++stage, tile += gridDim.x) {
                fetch(tile, stage);
            }
        }
        __syncthreads();
    }

    /// Waits for the current tile.
    __device__ __forceinline__ const unsigned char* wait() const {
        unsigned done = 0;
        while (done == 0) {
            asm volatile(
                "{ .reg .pred full; mbarrier.try_wait.parity.shared::cta.b64 full, [%1], %2;"
                " selp.u32 %0, 1, 0, full; }"
                : "=r"(done)
                : "r"(full_ + stage_ * 8), "r"(phase_)
                : "memory");
        }
        return ring_ + stage_ * tile_bytes;
    }

    /// Gives the current tile's place to the tile that comes next, once all threads have read it.
    __device__ __forceinline__ void release(Index tile) {
        __syncthreads();
        if (threadIdx.x == 0) {
            fetch(tile + static_cast<Index>(stages) * gridDim.x, stage_);
        }
        if (++stage_ == stages) {
            stage_ = 0;
            phase_ ^= 1;
        }
    }

private:
    __device__ __forceinline__ void fetch(Index tile, int stage) const {
        if (tile >= tiles_) {
            return;
        }
        const unsigned barrier = full_ + stage * 8;
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                     "r"(tile_bytes)
                     : "memory");
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
            "[%3];" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(ring_)) +
                          stage * tile_bytes),
            "l"(source_ + tile * stride_bytes), "r"(tile_bytes), "r"(barrier)
            : "memory");
    }

    const unsigned char* source_;
    Index tiles_;
    unsigned char* ring_;
    unsigned full_;
    int stage_ = 0;
    unsigned phase_ = 0;
};

#endif

}  // namespace jitune
