/* jitune template
kernel = "reduce_columns"
backend = "cuda"
summary = "each column of a row-major matrix to one value by an associative operation"
include = ["reduce_types.toml"]
sizes = ["rows", "columns"]
constraints = [
    "block <= max_threads_per_block",
    "pack_bytes >= element_bytes",
    "block * pack * state_bytes <= 32768",
    "threads_across <= block",
    "(layout = 'flat') = (threads_across = 1)",
]
prune = [
    "layout <> 'flat' OR (columns <= 256 AND columns / common <= block)",
    "layout <> 'tiles' OR pack = 1 OR columns % pack = 0",
    "layout <> 'tiles' OR columns >= 16 OR columns % (16 / element_bytes) = 0",
    "layout <> 'tiles' OR threads_across / 2 * pack < columns",
    # Rows enough for the threads that share a column.
    "layout <> 'tiles' OR block / threads_across <= rows",
    # One wave, whole or half; where no column is split the number of blocks does not depend on it.
    "block * blocks_per_sm IN (1024, 2048)",
    "block * blocks_per_sm = 2048 OR sm_count * 2048 / block >= 2 * tiles",
]
reproducibility = "iif(exact, 'exact', 'fixed')"

[parameters]
layout = { values = ["flat", "tiles"], default = "tiles", type = "jitune::ColumnLayout" }
block = { values = [128, 256, 512, 1024], default = 512 }
threads_across = { values = [1, 8, 16, 32, 64, 128, 256], default = 16 }
pack_bytes = { values = [1, 2, 4, 8, 16], default = 16 }
unroll = { values = [2, 4, 8], default = 4 }
blocks_per_sm = { values = [1, 2, 4, 8, 16], default = 4 }

[derived]
state_bytes = "iif(operation IN ('arg_min', 'arg_max', 'custom'), 16, accumulator_bytes)"
pack = "pack_bytes / element_bytes"
row_bytes = "columns * element_bytes"
bytes = "rows * row_bytes"
common = "min(pack, iif(columns % 16 = 0, 16, iif(columns % 8 = 0, 8, iif(columns % 4 = 0, 4, iif(columns % 2 = 0, 2, 1)))))"
flat_rows = "max(1, block / (columns / common)) * (pack / common)"
tiles = "iif(layout = 'flat', 1, min(ceil_div(columns, threads_across * pack), 1073741824))"
splits = "max(1, min(65535, sm_count * blocks_per_sm / tiles, ceil_div(rows, unroll * iif(layout = 'flat', flat_rows, block / threads_across))))"
# Of the defaults. few_: at most 1024 rows; pack_: packs of eight bytes; most_: the other narrow ones.
narrow = "element_bytes <= 2"
wide = "row_bytes % 16 = 0 AND bytes > 1048576"
fits = "32768 * element_bytes / (16 * state_bytes)"  # a block's threads with states for packs of 16 bytes
trip_packs = "rows > 32 AND rows <= 512 AND wide"
trip_block = """min(iif(trip_packs, fits, 1024),
    iif(rows <= 128, 128, iif(rows <= 256 AND bytes > 1048576, 256, iif(rows <= 512, 512, 1024))))"""
wide_block = "min(fits, iif(columns > 64 * sm_count, 256, 512))"
wave_tile = """iif(columns <= 16, 8, iif(columns <= 256, 16, iif(columns <= 1024, 32,
    iif(columns <= 16 * sm_count AND bytes <= 33554432, 16, 32))))"""
waves = "ceil_div(columns, wave_tile * sm_count)"
wave_block = """iif(columns <= 1024, 512, iif(waves > 4, 128, iif(waves > 1, 512,
    iif(bytes > 33554432, 256, 1024))))"""
part = "max(element_bytes, iif(row_bytes % 4 = 0, 4, iif(row_bytes % 2 = 0, 2, 1)))"  # the bytes of a pack
few_wide = "rows > 32 AND columns > 24 * sm_count"
few_tile = """iif(columns <= 72 * sm_count, 16,
    iif(columns <= 144 * sm_count, 32, 64 / element_bytes))"""  # in columns
few_across = "max(8, few_tile * element_bytes / part)"
few_pack = "iif(few_wide, part / element_bytes, 1)"
few_block = """min(fits * 16 / (few_pack * element_bytes),
    iif(rows <= iif(few_wide, iif(few_pack > 1, 256, 64), 192), iif(rows <= 32 AND columns <= 8, 128, 256),
    iif(rows <= 512 OR columns / few_pack > 8 * sm_count, 512, 1024)))"""
pack_block = "min(2 * fits, iif(rows <= 128, 128, iif(rows <= 1024, 256, 512)))"
pack_tile = "iif(rows <= 1024, 8, iif(bytes > 67108864 AND columns > 1024, 32, iif(columns > 32 * sm_count, 16, 8)))"
large = "bytes > 16777216 AND columns > iif(part = 4, 32 * sm_count, 1024)"
most_pack = "iif(large OR (bytes > 4194304 AND row_bytes >= 128), part, element_bytes)"
most_block = """iif(large AND element_bytes = part AND part = 2 AND columns > 128 * sm_count, 128,
    iif((large AND part < 4) OR (columns < 128 AND rows <= 4096), 256, 512))"""

[[default]]  # little data: one trip of one block
# The defaults follow winners on an H200; docs/reference/performance.md has what they lose.
when = """columns <= 64 AND (bytes <= 256
    OR (bytes <= 8192 AND (rows < 16 OR columns <= 4 OR (columns < 16 AND row_bytes % 16 <> 0))))"""
layout = "flat"
block = "iif(rows * columns <= 1024, 128, iif(rows * columns <= 2048, 256, 512))"
threads_across = 1
pack_bytes = "element_bytes"
unroll = "iif(bytes <= 256, 2, 8)"  # little code
blocks_per_sm = "iif(rows * columns <= 1024, 16, iif(rows * columns <= 2048, 8, 4))"

[[default]]  # tiles of eight columns do not come out even
when = "columns < 16 AND (columns <= 4 OR row_bytes % 16 <> 0)"
layout = "flat"
block = 256
threads_across = 1
pack_bytes = "iif(bytes <= 32768, 8 * element_bytes, iif(columns <= 8, element_bytes, 8))"
unroll = "iif(bytes <= 32768, 8, iif(columns <= 8, 2, 4))"
blocks_per_sm = 8

[[default]]  # few rows: threads beside each other
when = "rows < 16"
block = 128
threads_across = "iif(columns <= 64, 32, 128)"
pack_bytes = "element_bytes"
unroll = "iif(columns <= 64, 4, 8)"
blocks_per_sm = 16

[[default]]  # narrow elements, one trip of one block for each tile: no block waits for another
when = "narrow AND rows <= 1024 AND (rows <= 32 OR columns <= 64 * sm_count)"
block = "few_block"
threads_across = """iif(rows <= 32, iif(columns > 64, 64, iif(columns > 8, 16, 8)),
    iif(few_pack > 1 OR columns <= iif(rows <= 64, 8, iif(rows <= 512, 24, 16)) * sm_count, 8, 16))"""
pack_bytes = "few_pack * element_bytes"
unroll = "iif(rows <= 96 AND columns <= iif(rows <= 32, 64, iif(rows <= 64, 24 * sm_count, 1024)), 4, 8)"
blocks_per_sm = "iif(rows <= 512 OR columns > 32 * sm_count, 2048, 1024) / few_block"

[[default]]  # packs of eight bytes, where they are aligned
when = "narrow AND row_bytes % 8 = 0 AND (rows <= 1024 OR columns > 1024 OR (bytes > 4194304 AND row_bytes >= 128))"
block = "pack_block"
threads_across = "pack_tile"
pack_bytes = 8
unroll = "iif(element_bytes = 1 AND rows > 1024, 4, 8)"
blocks_per_sm = "iif(1024 * sm_count / pack_block >= ceil_div(row_bytes, 8 * pack_tile), 1024, 2048) / pack_block"

[[default]]  # few rows of others
when = "narrow AND rows <= 1024"
block = "iif(rows <= 64 AND part > element_bytes, 128, 256)"
threads_across = "few_across"
pack_bytes = "part"
unroll = 8
blocks_per_sm = """iif(rows <= 64 AND part > element_bytes, 16,
    iif(ceil_div(columns, few_across * part / element_bytes) <= 4 * sm_count, 4, 8))"""

[[default]]  # many rows
when = "narrow"
block = "most_block"
threads_across = """iif(large, iif(part = 4 OR (element_bytes = 1 AND (part = 1 OR columns > 64 * sm_count)), 64, 32),
    iif(columns > 1024 AND most_pack = element_bytes, 32, iif(columns <= 32 OR most_block = 256, 8, 16)))"""
pack_bytes = "most_pack"
unroll = "iif(large AND (part = 4 OR (part = 1 AND columns <= 64 * sm_count)), 4, 8)"
blocks_per_sm = "iif(large OR columns > 32 * sm_count, 2048, 1024) / most_block"

[[default]]  # one trip of one block for each tile
when = """rows <= 64 OR (rows <= 512 AND (bytes <= 1048576 OR columns <= 1024))
    OR (rows <= 256 AND row_bytes % 16 = 0) OR (rows <= 1024 AND columns <= 8 * sm_count)"""
block = "trip_block"
threads_across = """iif(rows <= 32, iif(columns > 64, trip_block / 4, iif(columns > 8, 16, 8)),
    iif(rows <= 64 AND bytes > 1048576 AND NOT wide, 16, 8))"""
pack_bytes = "iif(trip_packs, 16, element_bytes)"
unroll = "iif(rows <= 32 AND columns <= 64, 4, 8)"
blocks_per_sm = "2048 / trip_block"

[[default]]  # narrow tiles, so that there are some for each multiprocessor
when = "columns <= iif(rows <= 4096, 512, iif(rows <= 16384, 64, 0))"
block = 256
threads_across = 8
pack_bytes = "element_bytes"
unroll = 4
blocks_per_sm = "iif(sm_count >= 16, 4, 8)"

[[default]]  # much data in wide rows
when = "bytes > 33554432 AND columns > 1024 AND row_bytes % 16 = 0"
block = "wide_block"
threads_across = 32
blocks_per_sm = "iif(1024 * sm_count / wide_block >= ceil_div(row_bytes, 512), 1024, 2048) / wide_block"

[[default]]  # the same where packs are not aligned
when = "bytes > 33554432 AND columns > 32 * sm_count"
block = "iif(rows <= 4096 OR element_bytes = 8, 128, 512)"
threads_across = "iif(rows <= 4096 OR element_bytes = 8, 32, 256)"
pack_bytes = "element_bytes"
unroll = "iif(rows <= 4096, 8, 4)"
blocks_per_sm = "iif(rows <= 4096 OR element_bytes = 8, 16, 4)"

[[default]]  # a tile or few for each multiprocessor, which they fill
block = "wave_block"
threads_across = "wave_tile"
pack_bytes = "element_bytes"
unroll = 8
blocks_per_sm = "iif(waves > 2, 2048, 1024) / wave_block"

[arguments]
values = { access = "in", type = "element", count = "rows * columns" }
rows = { access = "scalar", type = "uint64", value = "rows" }
columns = { access = "scalar", type = "uint64", value = "columns" }
partials = { access = "scratch", type = "uint64", count = "iif(splits > 1, 2 * splits * columns, 1)" }
tickets = { access = "zeroed", type = "uint32", count = "iif(splits > 1, ceil_div(columns, threads_across), 1)" }
results = { access = "out", type = "result", count = "columns" }

[[launch]]
entry = "jitune::reduce_columns"
template = ["element", "accumulator", "result", "operation", "layout", "block", "threads_across", "pack_bytes", "unroll"]
arguments = ["values", "rows", "columns", "partials", "tickets", "results"]
block = "block"
programmatic = "compute_capability >= 90"
grid = ["tiles", "splits"]

[reference]
entry = "jitune::reduce_columns_serially"
template = ["element", "accumulator", "result", "operation"]
arguments = ["values", "rows", "columns", "results"]
block = "256"
grid = "min(columns, 65536)"
*/
#include "jitune_custom.h"
#include "jitune_range.h"
#include "jitune_reference.h"
#include "jitune_release.h"
#include "jitune_ticket.h"

namespace jitune {

/// How the threads of a block lie over the matrix.
enum class ColumnLayout {
    flat,   ///< one after the other over the memory, as many as see whole rows: for few columns
    tiles,  ///< threads_across packs wide and block / threads_across rows high
};

/// Memory is taken as packs from the last aligned address not after `values`, `shift` elements
/// before it. Every `period` packs the columns that a pack holds repeat.
template <class T, class R, int pack>
struct Columns {
    const T* values;
    Index rows;
    Index columns;
    R* results;
    unsigned shift;
    Index period;
    unsigned across;  ///< packs of a block beside each other
    unsigned down;    ///< packs of a block below each other
    unsigned width;   ///< states that a block is left with

    /// Of state `slot` of the tile that begins with pack `first`.
    __device__ __forceinline__ Index position(Index first, unsigned slot) const {
        return first * pack + slot;
    }
    __device__ __forceinline__ Index column(Index position) const {
        const Index shifted = shift % columns;
        return position >= shifted ? position - shifted : position + columns - shifted;
    }
};

/// A thread's states of the columns of one pack, while it walks down the rows.
template <class Op, class T, class R, int pack>
struct ColumnWalk {
    const Columns<T, R, pack>& matrix;
    typename Op::State states[pack];
    Index rows[pack];  ///< of the elements of the pack that comes next
    Index row_step;

    __device__ __forceinline__ ColumnWalk(const Columns<T, R, pack>& walked, Index first,
                                          Index stride)
        : matrix(walked), row_step(stride * pack / walked.columns) {
        // What lies before `values` is in rows -1 to -16.
        const Index position = first * pack + 16 * matrix.columns - matrix.shift;
        Index row = position / matrix.columns;
        Index column = position - row * matrix.columns;
#pragma unroll
        for (int i = 0; i < pack; ++i) {
            states[i] = Op::identity();
            rows[i] = row - 16;
            const bool wraps = ++column == matrix.columns;
            column = wraps ? 0 : column;
            row += wraps ? 1 : 0;
        }
    }
    __device__ __forceinline__ void add(const Word<T, pack>& loaded, unsigned steps) {
        const auto elements = __builtin_bit_cast(Pack<T, pack>, loaded);
#pragma unroll
        for (int i = 0; i < pack; ++i) {
            states[i] =
                Op::combine(states[i], Op::map(elements.values[i], rows[i] + steps * row_step));
        }
    }
    /// The elements of a pack that only partly lies in the matrix.
    __device__ __forceinline__ void add_edge(Index at) {
#pragma unroll
        for (int i = 0; i < pack; ++i) {
            const Index element = at * pack + i - matrix.shift;
            if (element < matrix.rows * matrix.columns) {
                states[i] = Op::combine(states[i], Op::map(matrix.values[element], rows[i]));
            }
        }
    }
    __device__ __forceinline__ void step(unsigned steps) {
#pragma unroll
        for (int i = 0; i < pack; ++i) {
            rows[i] += steps * row_step;
        }
    }
};

/// Packs at, at + stride, … of the matrix, `unroll` of them in flight.
template <int unroll, class Op, class T, class R, int pack>
__device__ __forceinline__ void walk_down(ColumnWalk<Op, T, R, pack>& walk, Index at,
                                          Index stride) {
    const auto& matrix = walk.matrix;
    const Index end = matrix.rows * matrix.columns + matrix.shift;
    const Index whole = end / pack;
    const auto* packs = reinterpret_cast<const Word<T, pack>*>(matrix.values - matrix.shift);
    if (at == 0 && matrix.shift > 0) {
        walk.add_edge(at);
        walk.step(1);
        at += stride;
    }
    Word<T, pack> loaded[unroll];
    for (; at + (unroll - 1) * stride < whole; at += unroll * stride) {
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            loaded[u] = packs[at + u * stride];
        }
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            walk.add(loaded[u], u);
        }
        walk.step(unroll);
    }
#pragma unroll
    for (int u = 0; u < unroll - 1; ++u) {
        if (at + u * stride < whole) {
            loaded[u] = packs[at + u * stride];
        }
    }
#pragma unroll
    for (int u = 0; u < unroll - 1; ++u) {
        if (at < whole) {
            walk.add(loaded[u], 0);
            walk.step(1);
            at += stride;
        }
    }
    if (at == whole && whole * pack < end) {
        walk.add_edge(at);
    }
}

/// Combines states[0, count * width) to states[0, width): those that are `width` apart. All threads
/// of the block call it; barriers before and after.
template <class Op>
__device__ __forceinline__ void fold(typename Op::State* states, unsigned width, unsigned count) {
    while (count > 1) {
        const unsigned half = (count + 1) / 2;
        __syncthreads();
        for (unsigned i = threadIdx.x; i < (count - half) * width; i += blockDim.x) {
            states[i] = Op::combine(states[i], states[i + half * width]);
        }
        count = half;
    }
    __syncthreads();
}

/// The last block of a tile combines the states that all blocks of the tile left in `partials`, a
/// row of positions per block, and writes the results.
template <class Op, int block, class T, class R, int pack>
__device__ __forceinline__ void finish_tile(const Columns<T, R, pack>& matrix, Index first,
                                            const typename Op::State* partials,
                                            typename Op::State* states) {
    const unsigned groups = matrix.width < block ? block / matrix.width : 1;
    const unsigned members = matrix.width < block ? matrix.width : block;
    const unsigned group = threadIdx.x / members;
    for (unsigned base = 0; base < matrix.width; base += block) {
        const Index position = matrix.position(first, base + threadIdx.x % members);
        const bool inside = base + threadIdx.x % members < matrix.width &&
                            position < matrix.columns && group < groups;
        auto state = Op::identity();
        if (inside) {
#pragma unroll 8
            for (unsigned split = group; split < gridDim.y; split += groups) {
                state = Op::combine(state, partials[split * matrix.columns + position]);
            }
        }
        if (groups > 1) {
            __syncthreads();
            states[threadIdx.x] = state;
            fold<Op>(states, members, groups);
            state = states[threadIdx.x];
        }
        if (inside && group == 0) {
            matrix.results[matrix.column(position)] = Op::result(state, matrix.rows);
        }
    }
}

/// The columns of all tiles of this block. `states` is shared memory for block * pack of them.
template <class Op, int block, int unroll, class T, class R, int pack>
__device__ __forceinline__ void reduce_tiles(const Columns<T, R, pack>& matrix,
                                             typename Op::State* states,
                                             typename Op::State* partials, unsigned* tickets) {
    const unsigned x = threadIdx.x % matrix.across;
    const unsigned y = threadIdx.x / matrix.across;
    const unsigned used = matrix.across * matrix.down * pack;
    const Index tiles = (matrix.period + matrix.across - 1) / matrix.across;
    for (Index tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const Index first = tile * matrix.across;
        const Index stride = matrix.period * matrix.down * gridDim.y;
        const Index at = first + x + matrix.period * (y + matrix.down * blockIdx.y);
        ColumnWalk<Op, T, R, pack> walk(matrix, at, stride);
        if (y < matrix.down && first + x < matrix.period) {
            walk_down<unroll>(walk, at, stride);
        }
        if (y < matrix.down) {
#pragma unroll
            for (int i = 0; i < pack; ++i) {
                states[threadIdx.x * pack + i] = walk.states[i];
            }
        }
        fold<Op>(states, matrix.width, used / matrix.width);
        for (unsigned slot = threadIdx.x; slot < matrix.width; slot += block) {
            const Index position = matrix.position(first, slot);
            if (position >= matrix.columns) {
                break;
            }
            if (gridDim.y == 1) {
                matrix.results[matrix.column(position)] = Op::result(states[slot], matrix.rows);
            } else {
                partials[blockIdx.y * matrix.columns + position] = states[slot];
            }
        }
        if (gridDim.y > 1 && block_arrives_last(tickets + tile, gridDim.y)) {
            finish_tile<Op, block>(matrix, first, partials, states);
        }
        __syncthreads();
    }
}

/// Reduces each column of `values`. The grid is tiles × splits: any number of either. `values` needs
/// the alignment of T only. The order of the combinations depends on the launch and the alignment,
/// never on timing.
template <class T, class A, class R, template <class, class, class> class Operation,
          ColumnLayout layout, int block, int threads_across, int pack_bytes, int unroll>
__global__ void __launch_bounds__(block)
    reduce_columns(const T* values, Index rows, Index columns,
                   typename Operation<T, A, R>::State* partials, unsigned* tickets,
                   R* results) {
    using Op = Operation<T, A, R>;
    begin_grid<Release::late>();
    constexpr int kPack = pack_bytes / sizeof(T);
    const unsigned shift = (kPack - elements_to_alignment<T, kPack>(values)) % kPack;
    __shared__ __align__(16) unsigned char memory[block * kPack * sizeof(typename Op::State)];
    auto* states = reinterpret_cast<typename Op::State*>(memory);
    if constexpr (layout == ColumnLayout::flat) {
        Index common = kPack;
        while (columns % common != 0) {
            common /= 2;
        }
        const Index period = columns / common;
        if (period <= block) {
            const auto across = static_cast<unsigned>(period);
            reduce_tiles<Op, block, unroll>(
                Columns<T, R, kPack>{values, rows, columns, results, shift, period, across,
                                     block / across, static_cast<unsigned>(columns)},
                states, partials, tickets);
            return;
        }
    } else if (columns % kPack == 0) {
        reduce_tiles<Op, block, unroll>(
            Columns<T, R, kPack>{values, rows, columns, results, shift, columns / kPack,
                                 threads_across, block / threads_across, threads_across * kPack},
            states, partials, tickets);
        return;
    }
    constexpr unsigned kAcross = threads_across > 1 ? threads_across : 32;
    reduce_tiles<Op, block, unroll>(Columns<T, R, 1>{values, rows, columns, results, 0, columns,
                                                     kAcross, block / kAcross, kAcross},
                                    states, partials, tickets);
}

/// One block per column and trip.
template <class T, class A, class R, template <class, class, class> class Operation>
__global__ void reduce_columns_serially(const T* values, Index rows, Index columns, R* results) {
    for (Index column = blockIdx.x; column < columns; column += gridDim.x) {
        reduce_serially<Operation<T, A, R>>(values + column, rows, columns, results + column);
    }
}

}  // namespace jitune
