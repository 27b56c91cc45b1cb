/* jitune template
kernel = "reduce"
backend = "host"
summary = "n elements to one value by an associative operation, in contiguous chunks"
include = ["reduce_types.toml", "reduce_host.toml"]
cache = "warm"
sizes = ["n"]
constraints = ["summation = 'pairwise' OR rounds"]
prune = [
    # Sums that carry their errors along are for those who name them.
    "summation = 'pairwise'",
    # Threads that would get no share of the data (kShareBytes) make no difference.
    "threads <= max(1, n * element_bytes / 65536)",
    "chunks_per_thread = 1 OR (threads > 1 AND threads * chunks_per_thread * 65536 <= n * element_bytes)",
    # Cores differ in speed, most of all under other work: whoever is done first takes more.
    "chunks_per_thread > 1 OR n * element_bytes <= 16 * cores * 65536 OR threads = 1",
]
reproducibility = "iif(exact, 'exact', 'fixed')"

[parameters]
chunks_per_thread = { values = [1, 4, 16], default = 16 }
unroll = { values = [1, 2, 4, 8], default = 4 }
summation = { values = ["pairwise", "compensated"], default = "pairwise", type = "jitune::Summation" }

[[default]]  # threads that have a share; vectors of 32 bytes, which come compiled with the library
cores_per_thread = "min(cores, 2 * ceil_div(cores, max(1, n * element_bytes / 65536)) - 1)"
chunks_per_thread = "n * element_bytes / (cores * 65536)"

[arguments]
values = { access = "in", type = "element", count = "n" }
n = { access = "scalar", type = "uint64", value = "n" }
threads = { access = "scalar", type = "int32", value = "threads" }
chunks_per_thread = { access = "scalar", type = "int32", value = "chunks_per_thread" }
result = { access = "out", type = "result", count = "1" }

[[launch]]
entry = "jitune::reduce"
template = ["element", "accumulator", "result", "operation", "summation", "unroll", "simd_bytes_used"]
arguments = ["values", "n", "threads", "chunks_per_thread", "result"]

[reference]
entry = "jitune::reduce_serially"
template = ["element", "accumulator", "result", "operation"]
arguments = ["values", "n", "result"]
*/
#include "jitune_host_fold.h"
#include "jitune_host_threads.h"

namespace jitune {

constexpr int kMaxChunks = 4096;

/// Combines in an order that depends on nothing but n, `threads`, `chunks_per_thread`, the
/// alignment of `values` and the template arguments, whichever thread takes a chunk.
template <class T, class A, class R, template <class, class, class> class Operation,
          Summation kSummation, int kUnroll, int kSimdBytes>
void reduce(const T* values, Index n, int threads, int chunks_per_thread, R* result) {
    using Op = Operation<T, A, R>;
    using State = typename Op::State;
    using Fold = jitune::Fold<T, A, R, Operation, kSummation, kUnroll, kSimdBytes>;
    threads = useful_threads(threads, n * sizeof(T));
    if (threads == 1) {
        *result = Op::result(Fold::reduce(values, n, 0), n);
        return;
    }
    const Index most = smaller(n * sizeof(T) / kShareBytes, kMaxChunks);
    const int chunks = static_cast<int>(smaller(most, Index(threads) * chunks_per_thread));
    // Chunks end on pages if the data starts on one.
    constexpr Index kPage = 4096 / sizeof(T);
    const Index pages = ceil_div(n, kPage);
    State states[kMaxChunks];
    for_each(chunks, threads, [&](Index chunk) {
        const Index first = share_begin(pages, chunk, chunks) * kPage;
        const Index next = smaller(n, share_begin(pages, chunk + 1, chunks) * kPage);
        states[chunk] = Fold::reduce(values + first, next - first, first);
    });
    *result = Op::result(combine_states<Op>(states, chunks), n);
}

template <class T, class A, class R, template <class, class, class> class Operation>
void reduce_serially(const T* values, Index n, R* result) {
    using Op = Operation<T, A, R>;
    *result = Op::result(AnyFold<Op, T, 1>::reduce(values, n, 0), n);
}

}  // namespace jitune
