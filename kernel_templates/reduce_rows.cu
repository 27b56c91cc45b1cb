/* jitune template
kernel = "reduce_rows"
backend = "cuda"
summary = "each row of a row-major matrix to one value by an associative operation"
include = ["reduce_types.toml"]
sizes = ["rows", "columns"]
constraints = [
    "block <= max_threads_per_block",
    "threads_per_row <= 32 OR threads_per_row = block",
    "layout <> 'staged' OR (threads_per_row <= 32 AND block * unroll <= 2048)",
]
prune = [
    # Threads that have nothing to load, and threads that would load for long.
    # A short or odd row is read element by element.
    "by_block OR layout = 'staged' OR threads_per_row / 2 * iif(columns % pack = 0, pack, 1) < columns",
    "by_block OR layout = 'staged' OR columns <= threads_per_row * pack * 64",
    "NOT by_block OR columns >= block * pack / 4",
    "block <= 512 OR by_block",
    # Odd rows in shared memory: few enough threads that each has some elements.
    "layout = 'direct' OR (columns % pack <> 0 AND columns <= 1024 AND columns <= block * unroll * pack - pack + 1)",
    "layout = 'direct' OR threads_per_row <= max(1, columns / 8)",
    # One wave or two, or a block for all that there is; not a grid that is the same as another.
    "block * blocks_per_sm >= 1024 AND (block * blocks_per_sm <= 2 * max_threads_per_sm OR blocks_per_sm = 1024)",
    "blocks_per_sm = 1024 OR by_block OR resident < ceil_div(rows, rows_per_trip)",
    "blocks_per_sm < 1024 OR NOT by_block OR rows > 16 * sm_count",
    # Where a kernel is short, its launch counts for more than how blocks are spread. Older GPUs have
    # no programmatic launch.
    "release = 'late' OR soonest = 'early'",
]
reproducibility = "iif(exact, 'exact', 'fixed')"

[parameters]
layout = { values = ["direct", "staged"], default = "direct", type = "jitune::RowLayout" }
block = { values = [128, 256, 512, 1024], default = 256 }
threads_per_row = { values = [1, 2, 4, 8, 16, 32, 128, 256, 512, 1024], default = 32 }
unroll = { values = [2, 4, 8], default = 4 }
blocks_per_sm = { values = [1, 2, 4, 8, 16, 1024], default = 1024 }
release = { values = ["early", "late"], default = "late", type = "jitune::Release" }

[derived]
pack = "16 / element_bytes"
row_bytes = "columns * element_bytes"
bytes = "rows * row_bytes"
soonest = "iif(compute_capability >= 90 AND bytes <= 33554432, 'early', 'late')"
by_block = "threads_per_row = block"
few_long = "iif(rows < 6 * sm_count AND (row_bytes <= 32768 OR element_bytes < 4), 256, 128)"  # threads of a default
resident = "sm_count * blocks_per_sm"
blocks_per_row = "iif(by_block, max(1, min(resident / rows, ceil_div(columns, block * pack * unroll))), 1)"
staged_rows = "max(1, (block * unroll * pack - pack + 1) / columns)"
rows_per_trip = "iif(layout = 'staged', staged_rows, block / threads_per_row * iif(NOT by_block AND columns <= threads_per_row * pack, unroll, 1))"

[[default]]  # whole packs, one for each thread
# The defaults follow winners on an H200 and an H100; docs/reference/performance.md has what they lose.
when = "row_bytes <= 32 AND columns % pack = 0"
threads_per_row = "2 * ceil_div(columns, pack) - 1"
unroll = 2
release = "soonest"

[[default]]  # many short odd rows
when = "row_bytes > 8 AND row_bytes <= 32 AND rows > 4096"
layout = "staged"
block = 128
threads_per_row = 1
unroll = 2
release = "soonest"

[[default]]
when = "row_bytes > 16 AND row_bytes <= 32 AND rows > 64"
block = 128
threads_per_row = "(columns - 1) / pack"
release = "soonest"

[[default]]  # a thread for each element
when = "row_bytes <= 32"
threads_per_row = "min(32, 2 * columns - 1)"
unroll = "iif(row_bytes <= 16, 2, 4)"
release = "soonest"

[[default]]  # few rows: latency counts alone
when = "row_bytes <= 1536 AND rows <= 8"
threads_per_row = "min(32, columns - 1)"
release = "soonest"

[[default]]
when = "row_bytes <= 1536 AND bytes <= iif(element_bytes < 4, 2097152, 16777216)"
threads_per_row = "min(iif(row_bytes < 1024 AND rows > 8192, 16, 32), (columns - 1) / pack)"
release = "soonest"

[[default]]  # much data: more loads in flight in each thread
when = "row_bytes <= 2048"
block = 128
threads_per_row = "min(32, 2 * ceil_div(row_bytes, iif(element_bytes = 1, 48, 96)) - 1)"
unroll = "iif(element_bytes = 1, 4, 8)"
release = "soonest"

[[default]]
when = "row_bytes > 3584 AND row_bytes <= 4096 AND rows <= 2 * sm_count"
threads_per_row = 256
unroll = 2
blocks_per_sm = 8
release = "soonest"

[[default]]  # a warp for each row, and the registers of a large block for wide elements
when = "row_bytes <= 4096"
block = "iif(element_bytes = 8, 512, 128)"
unroll = 8
release = "soonest"

[[default]]  # a block for each row, which loads it at once
when = "row_bytes <= 32768 AND bytes <= 8388608 AND rows < 6 * sm_count"
block = "max(128, 2 * ceil_div(row_bytes, 128) - 1)"
threads_per_row = "max(128, 2 * ceil_div(row_bytes, 128) - 1)"
unroll = 8
blocks_per_sm = "2048 / max(128, 2 * ceil_div(row_bytes, 128) - 1)"
release = "soonest"

[[default]]  # rows enough for all warps
when = "row_bytes <= 32768 AND rows >= 6 * sm_count"
block = "iif(element_bytes = 8, 512, 128)"
unroll = "iif(element_bytes = 8, 8, 4)"
release = "iif(rows <= 2048, soonest, 'late')"

[[default]]  # long rows: several blocks for each, with fewer loads in flight where elements are narrow
block = "few_long"
threads_per_row = "few_long"
unroll = "iif(element_bytes < 4 AND rows < 6 * sm_count, 2, iif(row_bytes <= 32768 OR rows >= 6 * sm_count, 8, 2))"
blocks_per_sm = "2048 / few_long"
release = "iif(element_bytes < 4, 'late', soonest)"

[arguments]
values = { access = "in", type = "element", count = "rows * columns" }
rows = { access = "scalar", type = "uint64", value = "rows" }
columns = { access = "scalar", type = "uint64", value = "columns" }
blocks_per_row = { access = "scalar", type = "uint32", value = "blocks_per_row" }
tickets = { access = "zeroed", type = "uint32", count = "iif(blocks_per_row > 1, rows, 1)" }
slots = { access = "zeroed", type = "uint64", count = "iif(blocks_per_row > 1, 4 * rows * blocks_per_row, 1)" }
results = { access = "out", type = "result", count = "rows" }

[[launch]]
entry = "jitune::reduce_rows"
template = ["element", "accumulator", "result", "operation", "layout", "block", "threads_per_row", "unroll", "release"]
arguments = ["values", "rows", "columns", "blocks_per_row", "tickets", "slots", "results"]
block = "block"
programmatic = "compute_capability >= 90"
grid = "iif(blocks_per_row > 1, rows * blocks_per_row, min(ceil_div(rows, rows_per_trip), resident))"

[reference]
entry = "jitune::reduce_rows_serially"
template = ["element", "accumulator", "result", "operation"]
arguments = ["values", "rows", "columns", "results"]
block = "256"
grid = "min(rows, 65536)"
*/
#include "jitune_custom.h"
#include "jitune_range.h"
#include "jitune_reference.h"
#include "jitune_release.h"
#include "jitune_state_slot.h"

namespace jitune {

/// Where the threads of a row find its elements.
enum class RowLayout {
    direct,  ///< in global memory
    staged,  ///< in shared memory, which the block fills with whole rows at a time, however short
             ///< and odd, by wide loads
};

/// A row-major matrix and the results of its rows.
template <class T, class R>
struct Rows {
    const T* values;
    Index rows;
    Index columns;
    R* results;
};

/// Rows of at most one aligned pack per thread: `unroll` rows of a thread are in flight.
template <class Op, int block, int threads_per_row, int pack, int unroll, class T, class R>
__device__ __forceinline__ void reduce_short_rows(const Rows<T, R>& matrix) {
    constexpr unsigned kRows = block / threads_per_row;
    const unsigned lane = threadIdx.x % threads_per_row;
    const unsigned packs = static_cast<unsigned>(matrix.columns) / pack;
    const auto* first = reinterpret_cast<const Word<T, pack>*>(matrix.values) + lane;
    const Index stride = static_cast<Index>(gridDim.x) * kRows * unroll;
    for (Index base = static_cast<Index>(blockIdx.x) * kRows * unroll; base < matrix.rows;
         base += stride) {
        const Index row = base + threadIdx.x / threads_per_row;
        Word<T, pack> loaded[unroll];
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            if (lane < packs && row + u * kRows < matrix.rows) {
                loaded[u] = first[(row + u * kRows) * packs];
            }
        }
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            const bool inside = row + u * kRows < matrix.rows;
            auto state = Op::identity();
            if (lane < packs && inside) {
                state = combine_pack<Op, T, pack>(loaded[u], lane * pack);
            }
            state = combine_warp<Op, threads_per_row>(state);
            if (lane == 0 && inside) {
                matrix.results[row + u * kRows] = Op::result(state, matrix.columns);
            }
        }
    }
}

/// Rows of any length, each by threads of one warp.
template <class Op, int block, int threads_per_row, int pack, int unroll, class T, class R>
__device__ __forceinline__ void reduce_rows_by_groups(const Rows<T, R>& matrix) {
    constexpr unsigned kRows = block / threads_per_row;
    const unsigned lane = threadIdx.x % threads_per_row;
    const Index stride = static_cast<Index>(gridDim.x) * kRows;
    for (Index base = static_cast<Index>(blockIdx.x) * kRows; base < matrix.rows; base += stride) {
        const Index row = base + threadIdx.x / threads_per_row;
        const bool inside = row < matrix.rows;
        auto state = combine_range<Op, T, pack, unroll>(
            matrix.values + (inside ? row * matrix.columns : 0), inside ? matrix.columns : 0, lane,
            threads_per_row);
        state = combine_warp<Op, threads_per_row>(state);
        if (lane == 0 && inside) {
            matrix.results[row] = Op::result(state, matrix.columns);
        }
    }
}

/// Each row by `blocks_per_row` blocks, of which the last one to arrive combines what all have left
/// in their slots. A slot shows by itself whether its state has come, so that the ticket needs no
/// fence.
template <class Op, int block, int pack, int unroll, class T, class R>
__device__ __forceinline__ void reduce_rows_by_blocks(const Rows<T, R>& matrix,
                                                      unsigned blocks_per_row, unsigned* tickets,
                                                      void* slots) {
    using Slots = StateSlot<typename Op::State>;
    __shared__ bool is_last;
    const unsigned part = blockIdx.x % blocks_per_row;
    for (Index row = blockIdx.x / blocks_per_row; row < matrix.rows;
         row += gridDim.x / blocks_per_row) {
        auto state = combine_range<Op, T, pack, unroll>(matrix.values + row * matrix.columns,
                                                        matrix.columns, part * block + threadIdx.x,
                                                        blocks_per_row * block);
        state = combine_block<Op, block>(state);
        if (blocks_per_row > 1) {
            const auto first = static_cast<unsigned>(row) * blocks_per_row;
            if (threadIdx.x == 0) {
                Slots::put(slots, first + part, state);
                is_last = atomicInc(tickets + row, blocks_per_row - 1) == blocks_per_row - 1;
            }
            __syncthreads();
            if (!is_last) {
                continue;
            }
            state = Op::identity();
            for (unsigned i = threadIdx.x; i < blocks_per_row; i += block) {
                state = Op::combine(state, Slots::take(slots, first + i));
            }
            __syncthreads();
            state = combine_block<Op, block>(state);
        }
        if (threadIdx.x == 0) {
            matrix.results[row] = Op::result(state, matrix.columns);
        }
        __syncthreads();
    }
}

/// As many whole rows as fit are staged in shared memory and reduced there.
template <class Op, int block, int threads_per_row, int pack, int unroll, class T, class R>
__device__ __forceinline__ void reduce_staged_rows(const Rows<T, R>& matrix) {
    using Tile = Stage<T, pack, unroll, block>;
    __shared__ Word<T, pack> packs[block * unroll];
    auto* staged = reinterpret_cast<T*>(packs);
    const auto columns = static_cast<unsigned>(matrix.columns);
    const unsigned fitting = (Tile::kElements - pack + 1) / columns;
    const unsigned lane = threadIdx.x % threads_per_row;
    const Index stride = static_cast<Index>(gridDim.x) * fitting;
    for (Index base = static_cast<Index>(blockIdx.x) * fitting; base < matrix.rows;
         base += stride) {
        const auto rows = static_cast<unsigned>(
            matrix.rows - base < fitting ? matrix.rows - base : fitting);
        const T* begin = matrix.values + base * columns;
        const unsigned padding = (pack - elements_to_alignment<T, pack>(begin)) % pack;
        const Run<T> run{matrix.values, matrix.rows * columns, base * columns,
                         (base + rows) * columns, padding};
        Tile tile;
        tile.load(run);
        tile.store(run, packs);
        __syncthreads();
        for (unsigned trip = 0; trip < rows; trip += block / threads_per_row) {
            const unsigned row = trip + threadIdx.x / threads_per_row;
            auto state = Op::identity();
            if (row < rows) {
                const T* values = staged + padding + row * columns;
#pragma unroll 4
                for (unsigned i = lane; i < columns; i += threads_per_row) {
                    state = Op::combine(state, Op::map(values[i], i));
                }
            }
            state = combine_warp<Op, threads_per_row>(state);
            if (lane == 0 && row < rows) {
                matrix.results[base + row] = Op::result(state, columns);
            }
        }
        __syncthreads();
    }
}

/// Reduces each row of `values` with any grid of one dimension, of a multiple of `blocks_per_row`
/// blocks. `values` needs the alignment of T only. The order of the combinations depends on the
/// launch and the alignment, never on timing. Groups of threads per row are those of M. Harris'
/// "Optimizing Parallel Reduction in CUDA" cut down to rows. `tickets` (one of a row) and `slots`
/// (a StateSlot of each block) are zero before, and left zero.
template <class T, class A, class R, template <class, class, class> class Operation,
          RowLayout layout, int block, int threads_per_row, int unroll, Release release>
__global__ void __launch_bounds__(block)
    reduce_rows(const T* values, Index rows, Index columns, unsigned blocks_per_row,
                unsigned* tickets, void* slots, R* results) {
    using Op = Operation<T, A, R>;
    constexpr int kPack = kWidestPack<T>;
    const Rows<T, R> matrix{values, rows, columns, results};
    begin_grid<release>();
    if constexpr (threads_per_row == block) {
        reduce_rows_by_blocks<Op, block, kPack, unroll>(matrix, blocks_per_row, tickets, slots);
    } else {
        if constexpr (layout == RowLayout::staged) {
            if (columns <= block * unroll * kPack - kPack + 1) {
                reduce_staged_rows<Op, block, threads_per_row, kPack, unroll>(matrix);
                return;
            }
        } else if (columns <= threads_per_row * kPack && columns % kPack == 0 &&
                   elements_to_alignment<T, kPack>(values) == 0) {
            reduce_short_rows<Op, block, threads_per_row, kPack, unroll>(matrix);
            return;
        }
        reduce_rows_by_groups<Op, block, threads_per_row, kPack, unroll>(matrix);
    }
}

/// One block per row and trip.
template <class T, class A, class R, template <class, class, class> class Operation>
__global__ void reduce_rows_serially(const T* values, Index rows, Index columns, R* results) {
    for (Index row = blockIdx.x; row < rows; row += gridDim.x) {
        reduce_serially<Operation<T, A, R>>(values + row * columns, columns, 1, results + row);
    }
}

}  // namespace jitune
