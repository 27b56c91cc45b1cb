/* jitune template
kernel = "reduce_segments"
backend = "cuda"
summary = "each of ragged segments to one value by an associative operation"
include = ["reduce_types.toml"]
sizes = ["segments", "n"]
constraints = [
    "block <= max_threads_per_block",
    "threads_per_segment <= 32 OR threads_per_segment = block",
    "layout <> 'tiles' OR (threads_per_segment <= 32 AND block * unroll <= 2048)",
    "layout <> 'merge' OR (threads_per_segment = 1 AND pack * unroll <= 16)",
    "layout <> 'merge' OR block * (pack * unroll * (element_bytes + 2) + 64) <= 47104",
]
prune = [
    # Threads for segments of about the mean length.
    "layout <> 'groups' OR by_block OR n / segments <= threads_per_segment * 512",
    "layout <> 'groups' OR NOT by_block OR n / segments >= block / 4",
    "layout = 'merge' OR by_block OR threads_per_segment / 4 <= n / segments",
    "layout <> 'groups' OR unroll <= 4",
    "layout <> 'tiles' OR unroll >= 4",
    "layout = 'groups' OR (block <= 256 AND blocks_per_sm < 1024)",
    "layout <> 'groups' OR blocks_per_sm = 1024 OR (blocks_per_sm IN (8, 16) AND block * blocks_per_sm <= 4096 AND slots < ceil_div(segments, window))",
]
reproducibility = "iif(exact, 'exact', 'fixed')"

[parameters]
layout = { values = ["groups", "tiles", "merge"], default = "tiles", type = "jitune::SegmentLayout" }
block = { values = [128, 256, 512], default = 256 }
threads_per_segment = { values = [1, 2, 4, 8, 16, 32, 128, 256, 512], default = 8 }
unroll = { values = [2, 4, 8], default = 4 }
blocks_per_sm = { values = [8, 16, 32, 1024], default = 16 }

[derived]
pack = "iif(layout = 'merge', min(8, 16 / element_bytes), 16 / element_bytes)"
by_block = "threads_per_segment = block"
window = "iif(by_block, 1, min(block, 4 * block / threads_per_segment))"
tile = "block * unroll * pack"
steps = "iif(layout = 'merge', n + 4 * segments, n + pack)"
tiles = "ceil_div(steps, tile)"
slots = "sm_count * blocks_per_sm"

[arguments]
values = { access = "in", type = "element", count = "n" }
offsets = { access = "in", type = "int64", count = "segments + 1" }
segments = { access = "scalar", type = "uint64", value = "segments" }
n = { access = "scalar", type = "uint64", value = "n" }
partials = { access = "scratch", type = "uint64", count = "iif(layout = 'groups', 1, 4 * min(slots, tiles))" }
tickets = { access = "zeroed", type = "uint32", count = "iif(layout = 'groups', 1, min(slots, tiles))" }
results = { access = "out", type = "result", count = "segments" }

[[launch]]
entry = "jitune::reduce_segments"
template = ["element", "accumulator", "result", "operation", "layout", "block", "threads_per_segment", "unroll"]
arguments = ["values", "offsets", "segments", "n", "partials", "tickets", "results"]
block = "block"
grid = "min(slots, iif(layout = 'groups', ceil_div(segments, window), tiles))"

[reference]
entry = "jitune::reduce_segments_serially"
template = ["element", "accumulator", "result", "operation"]
arguments = ["values", "offsets", "segments", "results"]
block = "256"
grid = "min(segments, 65536)"
*/
#include "jitune_custom.h"
#include "jitune_pieces.h"
#include "jitune_range.h"
#include "jitune_reference.h"
#include "jitune_segment_merge.h"
#include "jitune_ticket.h"

namespace jitune {

/// What is shared among the threads.
enum class SegmentLayout {
    groups,  ///< the segments: threads_per_segment for each, the whole block for a long one
    tiles,   ///< the elements: equal tiles, staged in shared memory, whatever segments are in them;
             ///< no length of a segment slows others down
    merge,   ///< the elements and the ends of segments, in equal shares of both
};

/// Segments in global memory.
template <class Op, int pack, int unroll, class T, class R>
struct WholeSegments {
    using State = typename Op::State;
    const Segments<T, R>& segments;

    __device__ __forceinline__ Index size(Index segment) const {
        return segments.end(segment) - segments.begin(segment);
    }
    __device__ __forceinline__ State combine(Index segment, unsigned lane, unsigned lanes) const {
        return combine_range<Op, T, pack, unroll>(segments.values + segments.begin(segment),
                                                  size(segment), lane, lanes);
    }
    __device__ __forceinline__ void finish(Index segment, const State& state) const {
        segments.results[segment] = Op::result(state, size(segment));
    }
};

/// The elements [begin, end) that a block is given, tile by tile. A segment that began before them
/// leaves its state in partials[0], one that goes on after them in partials[1].
template <class Op, class T, class R>
struct TilePieces {
    using State = typename Op::State;
    const Segments<T, R>& segments;
    const T* staged;  ///< the element `tile_begin`
    Index begin;
    Index end;
    Index tile_begin;
    Index tile_end;
    const State* carried;  ///< of the segment that goes on from the tile before
    State* carry;          ///< of the one that goes on in the next tile
    State* partials;

    __device__ __forceinline__ Index from(Index segment) const {
        const Index first = segments.begin(segment);
        return first < tile_begin ? tile_begin : first;
    }
    __device__ __forceinline__ Index size(Index segment) const {
        const Index past = segments.end(segment);
        return (past < tile_end ? past : tile_end) - from(segment);
    }
    __device__ __forceinline__ State combine(Index segment, unsigned lane, unsigned lanes) const {
        const Index first = from(segment);
        const auto count = static_cast<unsigned>(size(segment));
        const T* piece = staged + (first - tile_begin);
        const Index index = first - segments.begin(segment);
        auto state = Op::identity();
#pragma unroll 4
        for (unsigned i = lane; i < count; i += lanes) {
            state = Op::combine(state, Op::map(piece[i], index + i));
        }
        return state;
    }
    __device__ __forceinline__ void finish(Index segment, State state) const {
        const Index first = segments.begin(segment);
        const Index past = segments.end(segment);
        if (first < tile_begin) {
            state = Op::combine(*carried, state);
        }
        if (past > tile_end && tile_end < end) {
            *carry = state;
        } else if (first < begin) {
            partials[0] = state;
        } else if (past > tile_end) {
            partials[1] = state;
        } else {
            segments.results[segment] = Op::result(state, past - first);
        }
    }
};

/// The segments that go on over the borders of a block's elements are finished by the last of their
/// blocks to arrive at the ticket of the first. Blocks have `share` elements each, of which the
/// first `shift` are before `values`.
template <class Op, int block, class T, class R>
__device__ __forceinline__ void finish_crossing(const Segments<T, R>& segments, Index share,
                                                unsigned shift, Index crossing_before,
                                                Index crossing_after,
                                                const typename Op::State* partials,
                                                unsigned* tickets) {
    __shared__ bool last[2];
    const auto block_of = [&](Index element) { return (element + shift) / share; };
    __syncthreads();
    if (threadIdx.x < 2) {
        const Index segment = threadIdx.x == 0 ? crossing_before : crossing_after;
        last[threadIdx.x] = false;
        if (segment < segments.count) {
            const Index first = block_of(segments.begin(segment));
            const Index blocks = block_of(segments.end(segment) - 1) - first + 1;
            last[threadIdx.x] = arrives_last(tickets + first, static_cast<unsigned>(blocks));
        }
    }
    __syncthreads();
    for (int side = 0; side < 2; ++side) {
        if (!last[side]) {
            continue;
        }
        const Index segment = side == 0 ? crossing_before : crossing_after;
        const Index begin = segments.begin(segment);
        const Index end = segments.end(segment);
        const auto* of_first = partials + 2 * block_of(begin);
        const Index blocks = block_of(end - 1) - block_of(begin) + 1;
        auto state = Op::identity();
        for (Index i = threadIdx.x; i < blocks; i += block) {
            state = Op::combine(state, of_first[i == 0 ? 1 : 2 * i]);
        }
        state = combine_block<Op, block>(state);
        if (threadIdx.x == 0) {
            segments.results[segment] = Op::result(state, end - begin);
        }
        __syncthreads();
    }
}

/// Equal shares of the elements for all blocks, taken in tiles, and the segments that start in them.
/// The next tile is on its way while one is reduced; a share inside one segment needs no tiles. No
/// block waits for another one. Sharing
/// elements, not segments, is what D. Merrill and M. Garland's "Merge-based Parallel Sparse
/// Matrix-Vector Multiplication" does to rows.
///
///     segments   ------|----------|----|--|-----------------------|--------
///     share                 [ tile 0 | tile 1 | tile 2 | tile 3 ]
///                           begin                               end
///
/// The state of a segment that one tile does not hold whole goes
///     to the next tile      in carry[0] or carry[1], in turn;
///     to other blocks       in partials[2 * blockIdx.x] if it began in an earlier share (`continues`),
///                           in partials[2 * blockIdx.x + 1] if it ends in a later one (`goes_on`).
///                           finish_crossing() combines what the blocks have left there.
template <class Op, int block, int threads, int pack, int unroll, class T, class R>
__device__ __forceinline__ void reduce_segment_tiles(const Segments<T, R>& segments,
                                                     typename Op::State* partials,
                                                     unsigned* tickets) {
    using State = typename Op::State;
    using Tile = Stage<T, pack, unroll, block>;
    constexpr int kTile = Tile::kElements;
    constexpr Index kNone = ~Index{0};
    __shared__ Word<T, pack> packs[block * unroll];
    __shared__ __align__(16) unsigned char carries[2 * sizeof(State)];
    __shared__ Index bounds[2];
    __shared__ Index tile_bounds[2];
    auto* staged = reinterpret_cast<T*>(packs);
    auto* carry = reinterpret_cast<State*>(carries);
    // Positions count from the aligned pack that holds the first value: `shift` elements before it.
    // This block's share is [begin, end) of the values.
    const unsigned shift = (pack - elements_to_alignment<T, pack>(segments.values)) % pack;
    const Index tiles = (segments.n + shift + kTile - 1) / kTile;
    const Index share = (tiles + gridDim.x - 1) / gridDim.x * kTile;
    const auto element = [&](Index position) {
        return min(position > shift ? position - shift : 0, segments.n);
    };
    const Index begin = element(blockIdx.x * share);
    const Index end = element((blockIdx.x + 1) * share);
    const bool is_last = end == segments.n;
    if (begin == end && blockIdx.x > 0) {
        return;
    }
    // The first tile is on its way while one warp looks for the first segment of the share, and
    // another for that behind its last one.
    Tile loaded;
    Run<T> run{segments.values, segments.n, begin, element(blockIdx.x * share + kTile),
               blockIdx.x == 0 ? shift : 0};
    loaded.load(run);
    if (threadIdx.x < 64) {
        const unsigned side = threadIdx.x / 32;
        bounds[side] = side == 1 && is_last
                           ? segments.count
                           : lower_bound(segments.offsets, 0, segments.count,
                                         side == 0 ? begin : end);
    }
    if (threadIdx.x == 64) {
        carry[0] = Op::identity();
    }
    __syncthreads();
    const Index first = bounds[0];
    const Index last = bounds[1];
    const bool continues = first > 0 && segments.begin(first) > begin;
    const bool goes_on = last > first && segments.begin(last) > end;
    // The share lies in one segment: no tiles.
    if (first == last && continues) {
        const Index segment = first - 1;
        const Index start = segments.begin(segment);
        const Index past = segments.end(segment) < end ? segments.end(segment) : end;
        const auto state = combine_block<Op, block>(combine_range<Op, T, pack, unroll>(
            segments.values + begin, past - begin, threadIdx.x, block, begin - start));
        if (threadIdx.x == 0) {
            partials[2 * blockIdx.x] = state;
        }
        finish_crossing<Op, block>(segments, share, shift, segment, kNone, partials, tickets);
        return;
    }
    // Tile by tile. The first segment that begins in the tile or behind it is `next`; one that began
    // before it is `open`. Two slots of bounds and carries, which `trip` alternates, save a barrier.
    Index next = first;
    bool open = continues;
    int trip = 0;
    Index position = blockIdx.x * share;
    do {
        const T* tile = staged + run.padding;
        const Index tile_begin = run.begin;
        const Index tile_end = run.end;
        loaded.store(run, packs);
        Index past = last;
        if (tile_end < end) {
            if (threadIdx.x < 32) {
                tile_bounds[trip] = lower_bound(segments.offsets, next, last, tile_end);
            }
            run = {segments.values, segments.n, tile_end, element(position + 2 * kTile), 0};
            loaded.load(run);
        }
        __syncthreads();
        if (tile_end < end) {
            past = tile_bounds[trip];
        }
        const TilePieces<Op, T, R> pieces{segments,   tile,     begin,        end,
                                          tile_begin, tile_end, carry + trip, carry + (trip ^ 1),
                                          partials + 2 * blockIdx.x};
        reduce_pieces<Op, block, threads, block, 32>(pieces, next - (open ? 1 : 0), past, block);
        open = segments.begin(past) > tile_end && past > 0;
        next = past;
        position += kTile;
        trip ^= 1;
    } while (element(position) < end);
    if (continues || goes_on) {
        finish_crossing<Op, block>(segments, share, shift, continues ? first - 1 : kNone,
                                   goes_on ? last - 1 : kNone, partials, tickets);
    }
}

/// Reduces each segment of `values` with any grid of one dimension. `values` needs the alignment of
/// T only. The order of the combinations depends on the launch and the alignment, never on timing.
template <class T, class A, class R, template <class, class, class> class Operation,
          SegmentLayout layout, int block, int threads_per_segment, int unroll>
__global__ void __launch_bounds__(block)
    reduce_segments(const T* __restrict__ values, const long long* __restrict__ offsets,
                    Index segments, Index n, typename Operation<T, A, R>::State* partials,
                    unsigned* tickets, R* __restrict__ results) {
    using Op = Operation<T, A, R>;
    constexpr int kPack = kWidestPack<T>;
    const Segments<T, R> all{values, offsets, segments, n, results};
    if constexpr (layout == SegmentLayout::tiles) {
        reduce_segment_tiles<Op, block, threads_per_segment, kPack, unroll>(all, partials,
                                                                            tickets);
    } else if constexpr (layout == SegmentLayout::merge) {
        using Merge = SegmentMerge<Op, block, kPack < 8 ? kPack : 8, unroll, T, R>;
        __shared__ typename Merge::Shared shared;
        const Index steps = n + kStepsOfEnd * segments;
        Merge(all, (steps + gridDim.x - 1) / gridDim.x, partials, tickets, shared).reduce();
    } else if constexpr (threads_per_segment == block) {
        for (Index segment = blockIdx.x; segment < segments; segment += gridDim.x) {
            const WholeSegments<Op, kPack, unroll, T, R> whole{all};
            const auto state = combine_block<Op, block>(whole.combine(segment, threadIdx.x, block));
            if (threadIdx.x == 0) {
                whole.finish(segment, state);
            }
            __syncthreads();
        }
    } else {
        constexpr int kGroups = block / threads_per_segment;
        constexpr int kWindow = threads_per_segment < 4 ? block : 4 * kGroups;
        reduce_pieces<Op, block, threads_per_segment, kWindow, 4 * kPack * unroll>(
            WholeSegments<Op, kPack, unroll, T, R>{all}, Index{blockIdx.x} * kWindow, segments,
            Index{gridDim.x} * kWindow);
    }
}

/// One block per segment and trip.
template <class T, class A, class R, template <class, class, class> class Operation>
__global__ void reduce_segments_serially(const T* values, const long long* offsets, Index segments,
                                         R* results) {
    for (Index i = blockIdx.x; i < segments; i += gridDim.x) {
        reduce_serially<Operation<T, A, R>>(values + offsets[i],
                                            static_cast<Index>(offsets[i + 1] - offsets[i]), 1,
                                            results + i);
    }
}

}  // namespace jitune
