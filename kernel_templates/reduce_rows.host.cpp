/* jitune template
kernel = "reduce_rows"
backend = "host"
summary = "each row of a row-major matrix to one value by an associative operation"
include = ["reduce_types.toml", "reduce_host.toml"]
cache = "warm"
sizes = ["rows", "columns"]
constraints = ["summation = 'pairwise' OR rounds"]
prune = [
    # Sums that carry their errors along are for those who name them.
    "summation = 'pairwise'",
    # Threads that would get no share of the data (kShareBytes) make no difference.
    "threads <= max(1, rows * columns * element_bytes / 65536)",
]
reproducibility = "iif(exact, 'exact', 'fixed')"

[parameters]
unroll = { values = [1, 2, 4, 8], default = 4 }
summation = { values = ["pairwise", "compensated"], default = "pairwise", type = "jitune::Summation" }

[[default]]  # threads that have a share; vectors of 32 bytes, which come compiled with the library
cores_per_thread = "min(cores, 2 * ceil_div(cores, max(1, rows * columns * element_bytes / 65536)) - 1)"

[arguments]
values = { access = "in", type = "element", count = "rows * columns" }
rows = { access = "scalar", type = "uint64", value = "rows" }
columns = { access = "scalar", type = "uint64", value = "columns" }
threads = { access = "scalar", type = "int32", value = "threads" }
results = { access = "out", type = "result", count = "rows" }

[[launch]]
entry = "jitune::reduce_rows"
template = ["element", "accumulator", "result", "operation", "summation", "unroll", "simd_bytes_used"]
arguments = ["values", "rows", "columns", "threads", "results"]

[reference]
entry = "jitune::reduce_rows_serially"
template = ["element", "accumulator", "result", "operation"]
arguments = ["values", "rows", "columns", "results"]
*/
#include "jitune_host_fold.h"
#include "jitune_host_threads.h"

namespace jitune {

/// If there are fewer rows than threads, each is cut into pieces. Combines in an order that depends
/// on nothing but rows, columns, `threads`, the alignment of a row and the template arguments.
template <class T, class A, class R, template <class, class, class> class Operation,
          Summation kSummation, int kUnroll, int kSimdBytes>
void reduce_rows(const T* values, Index rows, Index columns, int threads, R* results) {
    using Op = Operation<T, A, R>;
    using Fold = jitune::Fold<T, A, R, Operation, kSummation, kUnroll, kSimdBytes>;
    threads = useful_threads(threads, rows * columns * sizeof(T));
    if (rows >= static_cast<Index>(threads)) {
        for_each(threads, threads, [&](Index share) {
            const Index end = share_begin(rows, share + 1, threads);
            for (Index row = share_begin(rows, share, threads); row < end; ++row) {
                results[row] = Op::result(Fold::reduce(values + row * columns, columns, 0), columns);
            }
        });
        return;
    }
    const int pieces = static_cast<int>(ceil_div(threads, rows));
    typename Op::State states[2 * kMaxThreads];
    for_each(rows * pieces, threads, [&](Index item) {
        const Index first = share_begin(columns, item % pieces, pieces);
        const Index end = share_begin(columns, item % pieces + 1, pieces);
        const T* row = values + item / pieces * columns;
        states[item] = Fold::reduce(row + first, end - first, first);
    });
    for (Index row = 0; row < rows; ++row) {
        results[row] = Op::result(combine_states<Op>(states + row * pieces, pieces), columns);
    }
}

template <class T, class A, class R, template <class, class, class> class Operation>
void reduce_rows_serially(const T* values, Index rows, Index columns, R* results) {
    using Op = Operation<T, A, R>;
    for (Index row = 0; row < rows; ++row) {
        const auto state = AnyFold<Op, T, 1>::reduce(values + row * columns, columns, 0);
        results[row] = Op::result(state, columns);
    }
}

}  // namespace jitune
