/* jitune template
kernel = "reduce_segments"
backend = "cuda"
summary = "each of ragged segments to one value by an associative operation"
include = ["reduce_types.toml"]
sizes = ["segments", "n"]
constraints = [
    "block <= max_threads_per_block",
    "layout = 'groups' OR (threads_per_segment = 1 AND block <= 128 AND items_per_thread <= 32)",
    "layout = 'groups' OR block * (items_per_thread * (element_bytes + state_bytes + 1) + state_bytes) <= 47104",
    "layout = 'merge' OR threads_per_segment <= 32 OR threads_per_segment = block",
    "items_per_thread >= pack",
]
prune = [
    # One wave of blocks, or nearly.
    "layout = 'groups' OR (block * blocks_per_sm >= 512 AND block * blocks_per_sm <= 1024)",
    # Groups save the search for a block's share, which few elements do not pay for.
    "layout = 'merge' OR (n * element_bytes <= 4194304 AND block >= 128 AND blocks_per_sm = 10)",
    "layout = 'merge' OR items_per_thread IN (2 * pack, 4 * pack)",
    # Threads for segments of about the mean length, or as many as all segments leave idle.
    "layout = 'merge' OR by_block OR n / segments <= threads_per_segment * 512",
    "layout = 'merge' OR NOT by_block OR block = 128 OR n / segments >= block / 4",
    "layout = 'merge' OR by_block OR threads_per_segment / 4 <= n / segments OR threads_per_segment <= idle",
]
reproducibility = "iif(exact, 'exact', 'fixed')"

[parameters]
layout = { values = ["groups", "merge"], default = "merge", type = "jitune::SegmentLayout" }
block = { values = [64, 128, 256, 512], default = 64 }
threads_per_segment = { values = [1, 2, 4, 8, 16, 32, 128, 256, 512], default = 1 }
items_per_thread = { values = [4, 8, 16, 32, 64], default = 16 }
blocks_per_sm = { values = [4, 5, 6, 8, 10, 12, 16], default = 10 }

[derived]
pack = "iif(layout = 'merge', min(8, 16 / element_bytes), 16 / element_bytes)"
by_block = "threads_per_segment = block"
window = "iif(by_block, 1, min(block, 4 * block / threads_per_segment))"
state_bytes = "iif(operation IN ('arg_min', 'arg_max', 'custom'), 16, accumulator_bytes)"
idle = "4096 * sm_count / segments"  # twice the threads there are, for each segment
# Of a default that has a block for each segment.
threads = """iif(n <= 4096 OR n / segments < 64, 128, iif(segments < 8 * sm_count,
    iif(n / segments < 256, 256, 512), iif(n / segments < 256, 128, 256)))"""
steps = "n + 28 * segments"  # kStepsOfEnd
shares = "max(1, min(sm_count * blocks_per_sm, ceil_div(steps, block * items_per_thread)))"

[[default]]  # a block for each segment
# The defaults follow winners on an H200; docs/reference/performance.md has what they lose. Nothing is known of the
# lengths but their mean: groups are for so few bytes that one long segment of all cannot take long.
when = """(n >= segments OR segments < 8 * sm_count) AND segments <= 16 * sm_count
    AND (segments >= 8 OR n <= 65536) AND n * element_bytes <= max(1048576, min(4194304, 32768 * segments))"""
layout = "groups"
block = "threads"
threads_per_segment = "threads"
items_per_thread = "64 / element_bytes"

[[default]]  # most segments are empty
when = "n < segments AND n * element_bytes <= 2097152"
layout = "groups"
block = 128
threads_per_segment = "min(32, idle)"
items_per_thread = "iif(idle <= 1, 32, 64) / element_bytes"

[[default]]  # a thread for each short segment
when = "n <= 16 * segments AND n * element_bytes <= 4194304"
layout = "groups"
block = "iif(n <= 2 * segments, 128, 512)"
threads_per_segment = 1
items_per_thread = "64 / element_bytes"

[[default]]  # the search for a share is paid for by few items
when = "element_bytes = 8"
block = "iif(state_bytes > 8, 64, 128)"
items_per_thread = "iif(n / segments >= 16, 8, 16)"
blocks_per_sm = "iif(n / segments >= 16, 6, 4) * iif(state_bytes > 8, 2, 1)"

[[default]]
items_per_thread = "iif(n * element_bytes <= 16777216 AND segments <= 1048576, 16, 32)"
blocks_per_sm = "iif(n * element_bytes <= 8388608 AND segments <= 1048576, 10, 8)"

[arguments]
values = { access = "in", type = "element", count = "n" }
offsets = { access = "in", type = "int64", count = "segments + 1" }
segments = { access = "scalar", type = "uint64", value = "segments" }
n = { access = "scalar", type = "uint64", value = "n" }
partials = { access = "scratch", type = "uint64", count = "iif(layout = 'groups', 1, 4 * shares)" }
tickets = { access = "zeroed", type = "uint32", count = "iif(layout = 'groups', 1, shares)" }
results = { access = "out", type = "result", count = "segments" }

[[launch]]
entry = "jitune::reduce_segments"
template = ["element", "accumulator", "result", "operation", "layout", "block", "threads_per_segment", "items_per_thread"]
arguments = ["values", "offsets", "segments", "n", "partials", "tickets", "results"]
block = "block"
programmatic = "compute_capability >= 90"
grid = "iif(layout = 'groups', min(1024 * sm_count, ceil_div(segments, window)), shares)"

[reference]
entry = "jitune::reduce_segments_serially"
template = ["element", "accumulator", "result", "operation"]
arguments = ["values", "offsets", "segments", "results"]
block = "256"
grid = "min(segments, 65536)"
*/
#include "jitune_custom.h"
#include "jitune_pieces.h"
#include "jitune_reference.h"
#include "jitune_release.h"
#include "jitune_segment_merge.h"

namespace jitune {

/// The work that blocks and threads share out.
enum class SegmentLayout {
    groups,  ///< the segments: threads_per_segment for each, the whole block for a long one
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

/// Reduces each segment of `values` with a grid of one dimension; for `merge`, of one block, or of
/// blocks that have at least ten steps of the walk each. `values` needs the alignment of T only.
/// The order of the combinations depends on the launch and the alignment, never on timing.
template <class T, class A, class R, template <class, class, class> class Operation,
          SegmentLayout layout, int block, int threads_per_segment, int items_per_thread>
__global__ void __launch_bounds__(block)
    reduce_segments(const T* values, const long long* offsets,
                    Index segments, Index n, typename Operation<T, A, R>::State* partials,
                    unsigned* tickets, R* results) {
    using Op = Operation<T, A, R>;
    begin_grid<Release::late>(offsets);
    constexpr int kPack =
        layout == SegmentLayout::merge && kWidestPack<T> > 8 ? 8 : kWidestPack<T>;
    constexpr int kUnroll = items_per_thread / kPack;
    const Segments<T, R> all{values, offsets, segments, n, results};
    if constexpr (layout == SegmentLayout::merge) {
        using Merge = SegmentMerge<Op, block, kPack, kUnroll, T, R>;
        __shared__ typename Merge::Shared shared;
        const Index steps = n + kStepsOfEnd * segments;
        Merge(all, (steps + gridDim.x - 1) / gridDim.x, partials, tickets, shared).reduce();
    } else if constexpr (threads_per_segment == block) {
        const WholeSegments<Op, kPack, kUnroll, T, R> whole{all};
        for (Index segment = blockIdx.x; segment < segments; segment += gridDim.x) {
            const auto state = combine_block<Op, block>(whole.combine(segment, threadIdx.x, block));
            if (threadIdx.x == 0) {
                whole.finish(segment, state);
            }
            __syncthreads();
        }
    } else {
        constexpr int kGroups = block / threads_per_segment;
        constexpr int kWindow = threads_per_segment < 4 ? block : 4 * kGroups;
        reduce_pieces<Op, block, threads_per_segment, kWindow, 4 * items_per_thread>(
            WholeSegments<Op, kPack, kUnroll, T, R>{all}, Index{blockIdx.x} * kWindow, segments,
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
