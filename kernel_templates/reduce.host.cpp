/* jitune template
kernel = "reduce"
backend = "host"
summary = "n elements to one value by an associative operation, in contiguous chunks"
sizes = ["n"]
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
    "threads <= max(1, n * element_bytes / 65536)",
    "chunks_per_thread = 1 OR (threads > 1 AND threads * chunks_per_thread * 65536 <= n * element_bytes)",
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
chunks_per_thread = { values = [1, 4, 16], default = 1 }
unroll = { values = [1, 2, 4, 8], default = 4 }
simd_bytes_used = { values = [16, 32, 64], default = 32 }
summation = { values = ["pairwise", "compensated"], default = "pairwise", type = "jitune::Summation" }

[derived]
threads = "cores / cores_per_thread"
rounds = "operation IN ('sum', 'mean', 'sum_of_squares', 'norm', 'sum_abs') AND accumulator IN ('float32', 'float64')"
exact = "operation NOT IN ('product', 'custom') AND NOT rounds"

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
    // Chunks end on pages where the data starts on one.
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
