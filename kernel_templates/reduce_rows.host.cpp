/* jitune template
kernel = "reduce_rows"
backend = "host"
summary = "each row of a row-major matrix to one value by an associative operation"
sizes = ["rows", "columns"]
constraints = [
    "simd_bytes_used <= simd_bytes",
    "cores_per_thread <= cores",
    "summation = 'pairwise' OR rounds",
]
prune = [
    # Sums that carry their errors along are for those who name them.
    "summation = 'pairwise'",
    "simd_bytes_used * 2 >= simd_bytes",
    # Threads that would get no share of the data (kShareBytes) make no difference.
    "threads <= max(1, rows * columns * element_bytes / 65536)",
]
reproducibility = "iif(exact, 'exact', 'fixed')"

[types.element]
int8 = "signed char"
uint8 = "unsigned char"
int16 = "short"
uint16 = "unsigned short"
int32 = "int"
uint32 = "unsigned"
int64 = "long long"
uint64 = "unsigned long long"
float16 = "jitune::float16"
bfloat16 = "jitune::bfloat16"
float32 = "float"
float64 = "double"

[types.accumulator]
int32 = "int"
uint32 = "unsigned"
int64 = "long long"
uint64 = "unsigned long long"
float32 = "float"
float64 = "double"

[types.result]
uint8 = "unsigned char"
int32 = "int"
uint32 = "unsigned"
int64 = "long long"
uint64 = "unsigned long long"
float32 = "float"
float64 = "double"

[types.operation]
sum = "jitune::Sum"
product = "jitune::Product"
min = "jitune::Min"
max = "jitune::Max"
arg_min = "jitune::ArgMin"
arg_max = "jitune::ArgMax"
mean = "jitune::Mean"
sum_of_squares = "jitune::SumOfSquares"
norm = "jitune::Norm"
sum_abs = "jitune::SumAbs"
max_abs = "jitune::MaxAbs"
all = "jitune::All"
any = "jitune::Any"
count_nonzero = "jitune::CountNonzero"
custom = "jitune::Custom"

[types.determinism]
run_to_run = "any order that the configuration fixes"
any = "any order"

[parameters]
# Halved again and again, any number of cores gives different thread counts, from all to one. The
# last legal value is the default: all cores, or as many as have a share.
cores_per_thread = { values = [512, 256, 128, 64, 32, 16, 8, 4, 2, 1], default = 1 }
unroll = { values = [1, 2, 4, 8], default = 4 }
simd_bytes_used = { values = [16, 32, 64], default = 32 }
summation = { values = ["pairwise", "compensated"], default = "pairwise", type = "jitune::Summation" }

[derived]
threads = "cores / cores_per_thread"
rounds = "operation IN ('sum', 'mean', 'sum_of_squares', 'norm', 'sum_abs') AND accumulator IN ('float32', 'float64')"
exact = "operation NOT IN ('product', 'custom') AND NOT rounds"

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

/// Where there are fewer rows than threads, each is cut into pieces. Combines in an order that
/// depends on nothing but rows, columns, `threads`, the alignment of a row and the template
/// arguments.
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
