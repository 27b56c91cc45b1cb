/* jitune template
kernel = "reduce_segments"
backend = "host"
summary = "each segment between two offsets to one value by an associative operation"
include = ["reduce_types.toml", "reduce_host.toml"]
cache = "warm"
sizes = ["segments", "n"]
constraints = ["summation = 'pairwise' OR rounds"]
prune = [
    # Sums that carry their errors along are for those who name them.
    "summation = 'pairwise'",
    # Threads that would get no share of the data (kShareBytes) make no difference.
    "threads <= max(1, (n * element_bytes + segments * 8) / 65536)",
]
reproducibility = "iif(exact, 'exact', 'fixed')"

[parameters]
unroll = { values = [1, 2, 4, 8], default = 4 }
summation = { values = ["pairwise", "compensated"], default = "pairwise", type = "jitune::Summation" }

[[default]]  # threads that have a share; vectors of 32 bytes, which come compiled with the library
cores_per_thread = "min(cores, 2 * ceil_div(cores, max(1, (n * element_bytes + segments * 8) / 65536)) - 1)"

[arguments]
values = { access = "in", type = "element", count = "n" }
offsets = { access = "in", type = "int64", count = "segments + 1" }
segments = { access = "scalar", type = "uint64", value = "segments" }
threads = { access = "scalar", type = "int32", value = "threads" }
results = { access = "out", type = "result", count = "segments" }

[[launch]]
entry = "jitune::reduce_segments"
template = ["element", "accumulator", "result", "operation", "summation", "unroll", "simd_bytes_used"]
arguments = ["values", "offsets", "segments", "threads", "results"]

[reference]
entry = "jitune::reduce_segments_serially"
template = ["element", "accumulator", "result", "operation"]
arguments = ["values", "offsets", "segments", "results"]
*/
#include "jitune_host_fold.h"
#include "jitune_host_threads.h"

namespace jitune {

using Offset = long long;

/// A place in the walk over all segments that takes one step for each segment and one for each
/// element (Merrill and Garland, "Merge-based Parallel Sparse Matrix-Vector Multiplication", 2016):
/// shares of as many steps are as much work, however ragged the segments are.
struct Place {
    Index segment;
    Index element;  // of the segment
};

inline Place place_of(Index step, const Offset* offsets, Index segments) {
    Index low = 0;
    Index high = segments;
    while (low < high) {  // the last segment that begins at the step or before
        const Index middle = low + (high - low + 1) / 2;
        if (middle + (offsets[middle] - offsets[0]) <= step) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return {low, step - (low + (offsets[low] - offsets[0]))};
}

/// The step behind a segment's last element ends it: nothing of it is left then.
template <class Fold, class Op, class T, class R>
struct SegmentShare {
    using State = typename Op::State;
    const T* values;
    const Offset* offsets;
    R* results;

    State reduce_part(Index segment, Index first, Index end) const {
        return Fold::reduce(values + offsets[segment] + first, end - first, first);
    }
    Index length(Index segment) const {
        return static_cast<Index>(offsets[segment + 1] - offsets[segment]);
    }

    /// Writes the results of the segments that begin and end between two places. Of one that began
    /// before, `head` becomes what it has here; of one that goes on, `tail`.
    JITUNE_UNMERGED void reduce(Place begin, Place end, State& head, State& tail) const {
        Index segment = begin.segment;
        if (begin.element > 0) {
            const bool ends = segment < end.segment;
            head = reduce_part(segment, begin.element, ends ? length(segment) : end.element);
            if (!ends) {
                return;
            }
            ++segment;
        }
        for (; segment < end.segment; ++segment) {
            const Index n = length(segment);
            results[segment] = Op::result(reduce_part(segment, 0, n), n);
        }
        if (end.element > 0) {
            tail = reduce_part(segment, 0, end.element);
        }
    }
};

/// Combines in an order that depends on nothing but the offsets, `threads`, the alignment of a
/// segment and the template arguments.
template <class T, class A, class R, template <class, class, class> class Operation,
          Summation kSummation, int kUnroll, int kSimdBytes>
void reduce_segments(const T* values, const Offset* offsets, Index segments, int threads,
                     R* results) {
    using Op = Operation<T, A, R>;
    using State = typename Op::State;
    using Fold = jitune::Fold<T, A, R, Operation, kSummation, kUnroll, kSimdBytes>;
    const SegmentShare<Fold, Op, T, R> share{values, offsets, results};
    const Index n = static_cast<Index>(offsets[segments] - offsets[0]);
    const Index steps = segments + n;
    const int shares = useful_threads(threads, n * sizeof(T) + segments * sizeof(Offset));
    Place places[kMaxThreads + 1];
    State heads[kMaxThreads];
    State tails[kMaxThreads];
    for (int i = 0; i <= shares; ++i) {
        places[i] = place_of(share_begin(steps, i, shares), offsets, segments);
    }
    for_each(shares, shares, [&](Index i) {
        share.reduce(places[i], places[i + 1], heads[i], tails[i]);
    });
    // The segments that a boundary cuts, from the share on in which each begins.
    for (int i = 0; i < shares; ++i) {
        const Index segment = places[i + 1].segment;
        const bool begins = places[i].segment < segment || places[i].element == 0;
        if (places[i + 1].element > 0 && begins) {
            State state = tails[i];
            for (int next = i + 1; next < shares && places[next].segment == segment; ++next) {
                state = Op::combine(state, heads[next]);
            }
            results[segment] = Op::result(state, share.length(segment));
        }
    }
}

template <class T, class A, class R, template <class, class, class> class Operation>
void reduce_segments_serially(const T* values, const Offset* offsets, Index segments, R* results) {
    using Op = Operation<T, A, R>;
    for (Index segment = 0; segment < segments; ++segment) {
        const Index n = static_cast<Index>(offsets[segment + 1] - offsets[segment]);
        const auto state = AnyFold<Op, T, 1>::reduce(values + offsets[segment], n, 0);
        results[segment] = Op::result(state, n);
    }
}

}  // namespace jitune
