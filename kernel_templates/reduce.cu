/* jitune template
kernel = "reduce"
backend = "cuda"
summary = "n elements to one value by an associative operation"
include = ["reduce_types.toml"]
sizes = ["n"]
constraints = [
    "block <= max_threads_per_block",
    "threads_per_sm <= max_threads_per_sm AND threads_per_sm % block = 0",
    "pack_bytes >= element_bytes",
    "items_per_thread % pack = 0",
    "(finish = 'direct') = (blocks_per_sm = 0)",
    "(finish = 'cluster') = (cluster > 1)",
    "finish <> 'cluster' OR compute_capability >= 90",
    "finish NOT IN ('slots', 'cluster') OR state_bytes <= 8",
    "finish <> 'packed' OR (adds AND accumulator IN ('int32', 'uint32'))",
    "finish <> 'atomic' OR (adds AND (determinism = 'any' OR accumulator NOT IN ('float32', 'float64')))",
    "load = 'standard' OR (compute_capability >= 80 AND pack_bytes = 16)",
    "bulk_stages = 0 OR (compute_capability >= 90 AND load = 'standard' AND pack_bytes = 16)",
    "bulk_stages * tile * element_bytes <= shared_bytes_per_block - 2048",
    "index_bytes = 8 OR narrow",
]
prune = [
    "unroll <= 16 AND (pack_bytes = 16 OR unroll <= 2)",
    # A second launch bound lets the compiler keep more than four loads of a thread in flight.
    "threads_per_sm = 0 OR (unroll >= 4 AND bulk_stages = 0)",
    # One wave, and no two grids that are the same for so little data.
    "block * blocks_per_sm <= iif(threads_per_sm = 0, max_threads_per_sm, threads_per_sm)",
    "blocks_per_sm <= 1 OR sm_count * (blocks_per_sm / 2) < ceil_div(n, tile)",
    "finish = 'direct' OR n > tile",
    # One block reads up to 256 KiB about as fast as a grid does, and needs no finish.
    "finish <> 'direct' OR bytes <= 262144",
    # What matters depends on the size: the finish of small data, the loads of large data.
    "bytes <= 4194304 OR finish IN ('slots', 'packed', 'atomic') OR (finish = 'ticket' AND state_bytes > 8)",
    "bytes <= 4194304 OR pack_bytes = 16",
    "load = 'standard' OR bytes >= 16777216",
    "load <> 'evict_first' OR bytes > l2_bytes / 2",
    # A ring of bulk copies pays where each block takes many tiles: from 8 MiB on.
    "bulk_stages = 0 OR (bytes >= 8388608 AND unroll >= 2)",
    "bulk_stages = 0 OR blocks_per_sm * bulk_stages * tile * element_bytes <= shared_bytes_per_block",
    "index_bytes = 4 OR NOT narrow",
]
reproducibility = "iif(exact, 'exact', iif(finish = 'atomic', 'any', 'fixed'))"

[parameters]
block = { values = [128, 256, 512, 1024], default = 256 }
items_per_thread = { values = [1, 2, 4, 8, 16, 32, 64, 128], default = 16 }
pack_bytes = { values = [4, 8, 16], default = 16 }
blocks_per_sm = { values = [0, 1, 2, 4, 8, 16], default = 8 }
# The second launch bound; 0 leaves it to the compiler.
threads_per_sm = { values = [0, 512, 1024, 1536], default = 0 }
load = { values = ["standard", "streaming", "evict_first"], default = "standard", type = "jitune::Load" }
finish = { values = ["direct", "slots", "ticket", "packed", "atomic", "cluster", "two_launches"], default = "ticket", type = "jitune::Finish" }
cluster = { values = [1, 4, 8], default = 1 }
bulk_stages = { values = [0, 4, 6, 8], default = 0 }
# Of the places that arg_min and arg_max compare.
index_bytes = { values = [4, 8], default = 8 }

[derived]
bytes = "n * element_bytes"
pack = "pack_bytes / element_bytes"
unroll = "items_per_thread / pack"
tile = "block * items_per_thread"
# Up to the end of the last size bucket below 2^32, half-octave 63: its sizes share a winner.
narrow = "operation IN ('arg_min', 'arg_max') AND accumulator_bytes = 4 AND n <= 3611622602"
state_bytes = "iif(operation IN ('arg_min', 'arg_max', 'custom'), iif(index_bytes = 4, 8, 16), accumulator_bytes)"
# What the defaults choose between, with no parameter in it.
wide = "operation = 'custom' OR (operation IN ('arg_min', 'arg_max') AND NOT narrow)"
grid_finish = "iif(wide, 'ticket', iif(adds AND accumulator IN ('int32', 'uint32'), 'packed', 'slots'))"
blocks = "ceil_div(max(1, min(sm_count * blocks_per_sm, ceil_div(n, tile))), cluster) * cluster"

[[default]]  # less than a pack of 16 bytes for each thread of the smallest block
# The defaults follow winners on an H200 and an H100; docs/reference/performance.md has what they lose.
when = "bytes <= iif(element_bytes = 8, 4096, 2048)"
block = "iif(element_bytes = 8, 256, 128)"
items_per_thread = "min(8, 16 / element_bytes)"
pack_bytes = 8
blocks_per_sm = 0
finish = "direct"
index_bytes = "iif(narrow, 4, 8)"

[[default]]  # one tile of one block: a second block's finish takes longer than its loads
when = "bytes <= 65536 AND n <= 16384"
block = "iif(bytes <= 8192, 128, iif(bytes <= 16384, 256, 512))"
items_per_thread = "iif(bytes <= 4096, 2, iif(bytes <= 32768, 4, 8)) * 16 / element_bytes"
blocks_per_sm = 0
threads_per_sm = "iif(bytes <= 4096, 0, 512)"
finish = "direct"
index_bytes = "iif(narrow, 4, 8)"

[[default]]  # small blocks on half of the multiprocessors or more, each with one tile
when = "bytes <= sm_count * 6144"
block = 128
items_per_thread = "min(64 / element_bytes, max(4 / element_bytes, 2 * ceil_div(n, 64 * sm_count) - 1))"
pack_bytes = "min(16, element_bytes * max(4 / element_bytes, 2 * ceil_div(n, 64 * sm_count) - 1))"
blocks_per_sm = 1
threads_per_sm = "iif(element_bytes * (2 * ceil_div(n, 64 * sm_count) - 1) >= 64, 512, 0)"
finish = "iif(wide, 'two_launches', grid_finish)"
index_bytes = "iif(narrow, 4, 8)"

[[default]]  # one tile on each multiprocessor, still
when = "bytes <= sm_count * 24576"
block = "iif(bytes <= sm_count * 12288, 256, 512)"
items_per_thread = "64 / element_bytes"
blocks_per_sm = 1
threads_per_sm = 512
finish = "iif(wide, 'two_launches', grid_finish)"
index_bytes = "iif(narrow, 4, 8)"

[[default]]  # tiles enough for two blocks on each; where they do not come out even, four
when = "bytes <= l2_bytes / 4 OR element_bytes = 1"
block = 256
items_per_thread = "min(32, 64 / element_bytes)"
blocks_per_sm = """min(iif(element_bytes = 1 OR 2 * ceil_div(n, 256 * min(32, 64 / element_bytes)) <= 5 * sm_count, 4, 2),
    (2 * ceil_div(n, 256 * min(32, 64 / element_bytes)) - 1) / sm_count)"""
load = "iif(compute_capability >= 80 AND bytes > max(16777215, l2_bytes / 2), 'evict_first', 'standard')"
finish = "grid_finish"
index_bytes = "iif(narrow, 4, 8)"

[[default]]
when = "bytes <= 2 * l2_bytes"
block = "iif(element_bytes = 2, 512, 256)"
items_per_thread = "iif(element_bytes = 2, 32, 128 / element_bytes)"
blocks_per_sm = "min(2, (2 * ceil_div(n, 32768 / element_bytes) - 1) / sm_count)"
threads_per_sm = "iif(wide, 512, 1024)"
load = "iif(compute_capability >= 80 AND bytes > max(16777215, l2_bytes / 2), 'evict_first', 'standard')"
finish = "grid_finish"
index_bytes = "iif(narrow, 4, 8)"

[[default]]  # all threads that fit
block = "iif(element_bytes IN (2, 4), 512, 256)"
items_per_thread = 32
blocks_per_sm = """min(max_threads_per_sm / 512,
    (2 * ceil_div(n, iif(element_bytes IN (2, 4), 16384, 8192)) - 1) / sm_count)"""
load = "iif(compute_capability >= 80 AND bytes > max(16777215, l2_bytes / 2), 'evict_first', 'standard')"
finish = "grid_finish"
index_bytes = "iif(narrow, 4, 8)"

[arguments]
values = { access = "in", type = "element", count = "n" }
n = { access = "scalar", type = "uint64", value = "n" }
partials = { access = "scratch", type = "uint64", count = "2 * blocks" }
counters = { access = "zeroed", type = "uint64", count = "2 * blocks" }
blocks = { access = "scalar", type = "uint32", value = "blocks" }
result = { access = "out", type = "result", count = "1" }

[[launch]]
entry = "jitune::reduce"
template = ["element", "accumulator", "result", "operation", "block", "items_per_thread", "pack_bytes", "threads_per_sm", "load", "finish", "cluster", "bulk_stages", "index_bytes"]
arguments = ["values", "n", "partials", "counters", "result"]
block = "block"
grid = "blocks"
cluster = "cluster"
programmatic = "compute_capability >= 90"
shared_bytes = "bulk_stages * tile * element_bytes"

[[launch]]
when = "finish = 'two_launches'"
entry = "jitune::reduce_partials"
template = ["element", "accumulator", "result", "operation", "block", "index_bytes"]
arguments = ["partials", "blocks", "n", "result"]
block = "block"
grid = "1"
programmatic = "compute_capability >= 90"

[reference]
entry = "jitune::reduce_plainly"
template = ["element", "accumulator", "result", "operation"]
arguments = ["values", "n", "result"]
block = "1024"
grid = "1"
*/
#include "jitune_bulk.h"
#include "jitune_custom.h"
#include "jitune_finish.h"
#include "jitune_lanes.h"
#include "jitune_load.h"
#include "jitune_reference.h"

namespace jitune {

/// Elements from `first` on, in whole aligned packs.
template <class T, int pack>
struct Body {
    const Pack<T, pack>* packs;
    Index count;
    Index first;
};

/// A thread's share of its block's tiles of block * unroll packs, which are a grid apart. All loads
/// of a tile are in flight before the first is used, in the last, ragged tile too. A warp takes
/// that tile in one step: lanes that took it in two would wait for memory twice.
template <class Op, class T, int block, int unroll, Load load, int pack>
__device__ __forceinline__ typename Op::State combine_tiles(const Body<T, pack>& body) {
    constexpr unsigned kTile = block * unroll;
    constexpr unsigned kLast = (unroll - 1) * block;
    const Loader<load> loader;
    const Index stride = static_cast<Index>(gridDim.x) * kTile;
    const Pack<T, pack>* const end = body.packs + body.count;
    const Index first = static_cast<Index>(blockIdx.x) * kTile + threadIdx.x;
    const Pack<T, pack>* at = body.packs + first;
    Index index = body.first + first * pack;
    Lanes<Op, T, pack> lanes;
    Pack<T, pack> loaded[unroll];
    const Pack<T, pack>* const whole = end - (31 - threadIdx.x % 32);
    for (; at + kLast < whole; at += stride, index += stride * pack) {
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            loaded[u] = loader(at + u * block);
        }
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            lanes.add(loaded[u], index + u * block * pack);
        }
    }
    if (at < end) {
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            if (at + u * block < end) {
                loaded[u] = loader(at + u * block);
            }
        }
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            if (at + u * block < end) {
                lanes.add(loaded[u], index + u * block * pack);
            }
        }
    }
    return lanes.combine();
}

#if __CUDA_ARCH__ >= 900
extern __shared__ __align__(128) unsigned char bulk_ring[];

/// The same by bulk copies. Block 0 loads the ragged tile itself, while the ring fills; its indexes
/// are the highest, so that it has lanes of its own.
template <class Op, class T, int block, int unroll, int stages, int pack>
__device__ __forceinline__ typename Op::State combine_bulk_tiles(const Body<T, pack>& body) {
    constexpr unsigned kTile = block * unroll;
    const Index tiles = body.count / kTile;
    BulkRing<stages, kTile * sizeof(Pack<T, pack>)> ring(body.packs, tiles, bulk_ring);
    auto ragged = Op::identity();
    if (blockIdx.x == 0) {
        const Loader<Load::standard> loader;
        Lanes<Op, T, pack> lanes;
        for (Index i = tiles * kTile + threadIdx.x; i < body.count; i += block) {
            lanes.add(loader(body.packs + i), body.first + i * pack);
        }
        ragged = lanes.combine();
    }
    Lanes<Op, T, pack> lanes;
    for (Index tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const auto* packs = reinterpret_cast<const Pack<T, pack>*>(ring.wait());
        const Index index = body.first + (tile * kTile + threadIdx.x) * pack;
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            lanes.add(packs[threadIdx.x + u * block], index + u * block * pack);
        }
        ring.release(tile);
    }
    return Op::combine(lanes.combine(), ragged);
}
#endif

/// Reduces values[0, n) with any grid of one dimension. Elements before the first and after the
/// last whole aligned pack are block 0's, loaded early and added late, so that `values` needs the
/// alignment of T only. But for Finish::atomic, the order of the combinations depends on the
/// launch, never on timing. Vector loads, several per thread in flight, and the shuffle tree are
/// those of M. Harris, "Optimizing Parallel Reduction in CUDA".
template <class T, class A, class R, template <class, class, class> class Operation, int block,
          int items_per_thread, int pack_bytes, int threads_per_sm, Load load, Finish finish,
          int cluster, int bulk_stages, int index_bytes>
__global__ void __launch_bounds__(block, threads_per_sm / block)
    reduce(const T* values, Index n, void* partials, void* counters, R* result) {
    using Op = typename Indexing<Operation<T, A, R>, index_bytes>::Type;
    constexpr int kPack = pack_bytes / sizeof(T);
    constexpr int kUnroll = items_per_thread / kPack;
    begin_finish<finish>();
    wait_for_earlier_work();

    const Index misaligned = reinterpret_cast<Index>(values) % pack_bytes / sizeof(T);
    Index head = misaligned == 0 ? 0 : kPack - misaligned;
    head = head < n ? head : n;
    const Body<T, kPack> body{reinterpret_cast<const Pack<T, kPack>*>(values + head),
                              (n - head) / kPack, head};
    const auto tail = static_cast<unsigned>((n - head) % kPack);
    const bool has_edge = blockIdx.x == 0 && threadIdx.x < head + tail;
    const auto edge_index = [&] {
        return threadIdx.x < head ? threadIdx.x : n - tail + (threadIdx.x - head);
    };
    T edge{};
    if (has_edge) {
        edge = Loader<Load::standard>()(values + edge_index());
    }

#if __CUDA_ARCH__ >= 900
    typename Op::State state;
    if constexpr (bulk_stages > 0) {
        state = combine_bulk_tiles<Op, T, block, kUnroll, bulk_stages>(body);
    } else {
        state = combine_tiles<Op, T, block, kUnroll, load>(body);
    }
#else
    auto state = combine_tiles<Op, T, block, kUnroll, load>(body);
#endif
    if (has_edge) {
        state = Op::combine(state, Op::map(edge, edge_index()));
    }
    state = combine_block<Op, block>(state);
    if (finish_grid<Op, block, finish, cluster>(state, {partials, counters})) {
        *result = Op::result(state, n);
    }
}

/// The second launch of Finish::two_launches: one block, `count` partials.
template <class T, class A, class R, template <class, class, class> class Operation, int block,
          int index_bytes>
__global__ void __launch_bounds__(block)
    reduce_partials(const void* partials, unsigned count, Index n, R* result) {
    using Op = typename Indexing<Operation<T, A, R>, index_bytes>::Type;
    wait_for_earlier_work();
    const auto state = combine_partials<Op, block>(partials, count);
    if (threadIdx.x == 0) {
        *result = Op::result(state, n);
    }
}

/// What candidates of operations that only the caller knows are compared with: one block.
template <class T, class A, class R, template <class, class, class> class Operation>
__global__ void reduce_plainly(const T* values, Index n, R* result) {
    reduce_serially<Operation<T, A, R>>(values, n, 1, result);
}

}  // namespace jitune
