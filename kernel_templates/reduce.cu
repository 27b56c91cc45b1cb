/* jitune template
kernel = "reduce"
backend = "cuda"
summary = "n elements to one value by an associative operation"
sizes = ["n"]
constraints = [
    "block <= max_threads_per_block",
    "block * blocks_per_sm <= max_threads_per_sm",
    "pack_bytes >= element_bytes",
    "items_per_thread % pack = 0",
    "unroll <= 8",
    # A grid that the data cannot fill is the same grid as one with fewer blocks per SM.
    "blocks_per_sm = 1 OR sm_count * (blocks_per_sm / 2) < ceil_div(n, tile)",
]

[types.element]
int32 = "int"
int64 = "long long"
float32 = "float"
float64 = "double"

[types.accumulator]
int32 = "int"
int64 = "long long"
float32 = "float"
float64 = "double"

[types.operation]
sum = "jitune::Sum"
min = "jitune::Min"
max = "jitune::Max"

[parameters]
block = { values = [64, 128, 256, 512, 1024], default = 256 }
items_per_thread = { values = [1, 2, 4, 8, 16, 32], default = 16 }
pack_bytes = { values = [4, 8, 16], default = 16 }
blocks_per_sm = { values = [1, 2, 4, 8, 16, 32], default = 8 }
finish = { values = ["last_block", "two_launches"], default = "last_block", type = "jitune::Finish" }

[derived]
pack = "pack_bytes / element_bytes"
unroll = "items_per_thread / pack"
tile = "block * items_per_thread"
blocks = "min(sm_count * blocks_per_sm, max(1, ceil_div(n, tile)))"

[arguments]
values = { access = "in", type = "element", count = "n" }
n = { access = "scalar", type = "uint64", value = "n" }
partials = { access = "scratch", type = "accumulator", count = "blocks" }
blocks = { access = "scalar", type = "uint32", value = "blocks" }
ticket = { access = "zeroed", type = "uint32", count = "1" }
result = { access = "out", type = "accumulator", count = "1" }

[[launch]]
entry = "jitune::reduce"
template = ["element", "accumulator", "operation", "block", "items_per_thread", "pack_bytes", "finish"]
arguments = ["values", "n", "partials", "ticket", "result"]
block = "block"
grid = "blocks"

[[launch]]
when = "finish = 'two_launches'"
entry = "jitune::reduce_partials"
template = ["accumulator", "operation", "block"]
arguments = ["partials", "blocks", "result"]
block = "block"
grid = "1"
*/
#include "jitune_operations.h"

namespace jitune {

/// How the partial results of the blocks become one value.
enum class Finish {
    last_block,    ///< the block that draws the last ticket combines the partials
    two_launches,  ///< a second launch of one block combines them
};

template <class T, int count>
struct alignas(sizeof(T) * count) Pack {
    T values[count];
};

template <class A, class Operation>
__device__ __forceinline__ A combine_warp(A value) {
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        value = Operation::combine(value, __shfl_xor_sync(0xffffffffu, value, offset));
    }
    return value;
}

/// The combination over the block, in every thread of warp 0. All threads must call it, with a barrier
/// between two calls.
template <class A, class Operation, int block>
__device__ __forceinline__ A combine_block(A value) {
    constexpr int kWarps = block / 32;
    __shared__ A warp_values[kWarps];
    value = combine_warp<A, Operation>(value);
    if (threadIdx.x % 32 == 0) {
        warp_values[threadIdx.x / 32] = value;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        const A identity = Operation::template identity<A>();
        value = combine_warp<A, Operation>(threadIdx.x < kWarps ? warp_values[threadIdx.x] : identity);
    }
    return value;
}

/// One thread's share of `count` partials, read past L1 since other SMs wrote them.
template <class A, class Operation, int block>
__device__ __forceinline__ A combine_partials(const A* partials, unsigned count) {
    A value = Operation::template identity<A>();
    for (unsigned i = threadIdx.x; i < count; i += block) {
        value = Operation::combine(value, __ldcg(partials + i));
    }
    return value;
}

/// True in all threads of the block that arrives last; its reads then see the partials of all blocks.
/// The ticket wraps to zero by itself, so that a graph can replay the launch.
__device__ __forceinline__ bool arrives_last(unsigned* ticket) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    return last;
}

/// Adds `count` packs from `packs` into `lanes`, a tile of block * unroll packs per block and trip.
template <class T, class A, class Operation, int block, int pack, int unroll>
__device__ __forceinline__ void combine_packs(const Pack<T, pack>* packs, unsigned long long count,
                                              A (&lanes)[pack]) {
    constexpr unsigned kTile = block * unroll;
    const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * kTile;
    unsigned long long start = static_cast<unsigned long long>(blockIdx.x) * kTile;
    for (; start + kTile <= count; start += stride) {
        Pack<T, pack> loaded[unroll];
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            loaded[u] = packs[start + threadIdx.x + u * block];
        }
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
#pragma unroll
            for (int lane = 0; lane < pack; ++lane) {
                lanes[lane] = Operation::combine(lanes[lane], static_cast<A>(loaded[u].values[lane]));
            }
        }
    }
    for (unsigned long long i = start + threadIdx.x; i < count && i < start + kTile; i += block) {
        const Pack<T, pack> loaded = packs[i];
#pragma unroll
        for (int lane = 0; lane < pack; ++lane) {
            lanes[lane] = Operation::combine(lanes[lane], static_cast<A>(loaded.values[lane]));
        }
    }
}

/// Reduces values[0, n) with any grid of one dimension. Elements before the first and after the last
/// whole aligned pack are taken by block 0, so that `values` needs the alignment of T only. The order
/// of the combinations depends on the launch, never on timing: the same launch gives the same bits.
/// Vector loads, several per thread in flight, and the shuffle tree are those of M. Harris, "Optimizing
/// Parallel Reduction in CUDA"; the ticket is that of the CUDA samples' threadFenceReduction.
template <class T, class A, class Operation, int block, int items_per_thread, int pack_bytes,
          Finish finish>
__global__ void __launch_bounds__(block)
    reduce(const T* __restrict__ values, unsigned long long n, A* partials, unsigned* ticket,
           A* __restrict__ result) {
    constexpr int kPack = pack_bytes / sizeof(T);
    constexpr int kUnroll = items_per_thread / kPack;
    const unsigned long long misaligned =
        reinterpret_cast<unsigned long long>(values) % pack_bytes / sizeof(T);
    unsigned long long head = misaligned == 0 ? 0 : kPack - misaligned;
    head = head < n ? head : n;
    const unsigned long long packs = (n - head) / kPack;
    const unsigned tail = static_cast<unsigned>((n - head) % kPack);

    A lanes[kPack];
#pragma unroll
    for (int lane = 0; lane < kPack; ++lane) {
        lanes[lane] = Operation::template identity<A>();
    }
    A edge = Operation::template identity<A>();
    if (blockIdx.x == 0 && threadIdx.x < head + tail) {
        edge = static_cast<A>(threadIdx.x < head ? values[threadIdx.x]
                                                 : values[n - tail + (threadIdx.x - head)]);
    }
    combine_packs<T, A, Operation, block, kPack, kUnroll>(
        reinterpret_cast<const Pack<T, kPack>*>(values + head), packs, lanes);

    A value = edge;
#pragma unroll
    for (int lane = 0; lane < kPack; ++lane) {
        value = Operation::combine(value, lanes[lane]);
    }
    value = combine_block<A, Operation, block>(value);

    if constexpr (finish == Finish::two_launches) {
        if (threadIdx.x == 0) {
            partials[blockIdx.x] = value;
        }
    } else if (gridDim.x == 1) {
        if (threadIdx.x == 0) {
            *result = value;
        }
    } else {
        if (threadIdx.x == 0) {
            partials[blockIdx.x] = value;
        }
        if (arrives_last(ticket)) {
            value = combine_partials<A, Operation, block>(partials, gridDim.x);
            value = combine_block<A, Operation, block>(value);
            if (threadIdx.x == 0) {
                *result = value;
            }
        }
    }
}

/// The second launch of Finish::two_launches: one block, `count` partials.
template <class A, class Operation, int block>
__global__ void __launch_bounds__(block)
    reduce_partials(const A* partials, unsigned count, A* __restrict__ result) {
    A value = combine_partials<A, Operation, block>(partials, count);
    value = combine_block<A, Operation, block>(value);
    if (threadIdx.x == 0) {
        *result = value;
    }
}

}  // namespace jitune
