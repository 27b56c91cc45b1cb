/* jitune template
kernel = "stencil"
backend = "host"
summary = "weighted sums of the neighbourhoods of n elements, in contiguous chunks"
include = ["stencil_types.toml"]
cache = "warm"
sizes = ["n"]
constraints = [
    "cores_per_thread <= cores",
    "simd_bytes_used <= simd_bytes",
    "evaluation = 'direct' OR weighting <> 'weights'",
]
prune = [
    "simd_bytes_used * 2 >= simd_bytes",
    # Threads that would get no share of the data (kShareBytes) make no difference.
    "threads <= max(1, n * element_bytes / 65536)",
    # A sum that slides takes fewer additions, but each waits for the one before.
    "evaluation = 'direct' OR radius >= 2",
]
reproducibility = "iif(element = 'int32', 'exact', 'fixed')"

[parameters]
# Halved again and again, any number of cores gives different thread counts, from all to one. The
# last legal value is the default: all cores, or as many as have a share.
cores_per_thread = { values = [512, 256, 128, 64, 32, 16, 8, 4, 2, 1], default = 1 }
simd_bytes_used = { values = [16, 32, 64], default = 32 }
strip = { values = [128, 512, 2048], default = 512 }
evaluation = { values = ["direct", "nested"], default = "direct", type = "jitune::Evaluation" }

[derived]
threads = "cores / cores_per_thread"

[[default]]  # threads that have a share, and whole vectors
cores_per_thread = "min(cores, 2 * ceil_div(cores, max(1, n * element_bytes / 65536)) - 1)"
simd_bytes_used = "simd_bytes"
strip = "iif(weighting <> 'weights' AND radius >= 4, 512, 2048)"
evaluation = "iif(weighting <> 'weights' AND radius >= 4, 'nested', 'direct')"

[arguments]
input = { access = "in", type = "element", count = "n" }
weights = { access = "value", type = "element", count = "weight_count" }
n = { access = "scalar", type = "uint64", value = "n" }
threads = { access = "scalar", type = "int32", value = "threads" }
output = { access = "out", type = "element", count = "outputs" }

[[launch]]
entry = "jitune::stencil"
template = ["element", "radius", "weighting", "boundary", "simd_bytes_used", "strip", "evaluation"]
arguments = ["input", "weights", "n", "threads", "output"]
*/
#include "jitune_host_threads.h"
#include "jitune_stencil.h"

namespace jitune {

enum class Evaluation {
    direct,  ///< each output from its own inputs
    nested,  ///< windows of powers of two elements, each from two of half as many
};

/// A vector of `count` numbers; its arithmetic is the compiler's (GCC, Vector Extensions).
template <class A, int bytes>
struct Lanes {
    static constexpr int kCount = bytes / static_cast<int>(sizeof(A));
    typedef A Vector __attribute__((vector_size(bytes)));
    typedef A Unaligned __attribute__((vector_size(bytes), aligned(sizeof(A)), may_alias));

    static JITUNE_FUNCTION Vector load(const A* from) {
        return *reinterpret_cast<const Unaligned*>(from);
    }
    static JITUNE_FUNCTION void store(A* to, Vector value) {
        *reinterpret_cast<Unaligned*>(to) = value;
    }
};

/// sums[o] = the sum of weights[j] * x[o + j], for `count` outputs, vector by vector.
template <Weighting weighting, int radius, int bytes, class A, class T>
void direct_sums(const A* x, const Weights<T, weighting, radius>& weights, int count, A* sums) {
    using L = Lanes<A, bytes>;
    for (int o = 0; o < count; o += L::kCount) {
        typename L::Vector sum{};
        for (int j = 0; j <= 2 * radius; ++j) {
            if constexpr (weighting == Weighting::weights) {
                sum += L::load(x + o + j) * static_cast<A>(weights.values[j]);
            } else {
                sum += L::load(x + o + j);
            }
        }
        L::store(sums + o, sum);
    }
}

/// The same for weights of 1. With a[i] the sum of `width` elements from i on, a[i] + a[i + width]
/// is that of twice as many: the sum of 2 radius + 1 elements goes together from the powers of two
/// in it, with about 2 log2(radius) additions. `x` is overwritten; each window is of its own
/// elements alone, so that infinities and rounding stay in it.
template <int radius, int bytes, class A>
void nested_sums(A* x, int count, A* sums) {
    using L = Lanes<A, bytes>;
    constexpr int kAll = 2 * radius + 1;
    for (int o = 0; o < count; o += L::kCount) {  // the bit of 1, which every window has
        L::store(sums + o, L::load(x + o));
    }
    int taken = 1;
    for (int width = 1; 2 * width <= kAll; width *= 2) {
        const int needed = count + kAll - 2 * width;
        for (int i = 0; i < needed; i += L::kCount) {
            L::store(x + i, L::load(x + i) + L::load(x + i + width));
        }
        if ((kAll & 2 * width) != 0) {
            for (int o = 0; o < count; o += L::kCount) {
                L::store(sums + o, L::load(sums + o) + L::load(x + o + taken));
            }
            taken += 2 * width;
        }
    }
}

/// `count` outputs from `first` on, at most `strip` of them, none of which needs an input outside.
template <class T, int radius, Weighting weighting, int bytes, int strip, Evaluation evaluation>
void inside_strip(const T* from, const Weights<T, weighting, radius>& weights, int count,
                  T* output) {
    using A = Accumulator<T, weighting>;
    constexpr int kSlack = 64;  // whole vectors reach beyond the end
    A x[strip + 2 * radius + 2 * kSlack];
    A sums[strip + kSlack];
    const int inputs = count + 2 * radius;
    for (int i = 0; i < inputs; ++i) {
        x[i] = static_cast<A>(from[i]);
    }
    for (int i = inputs; i < inputs + 2 * kSlack; ++i) {
        x[i] = A(0);
    }
    if constexpr (evaluation == Evaluation::nested) {
        nested_sums<radius, bytes>(x, count, sums);
    } else {
        direct_sums<weighting, radius, bytes>(x, weights, count, sums);
    }
    for (int o = 0; o < count; ++o) {
        output[o] = finish<T, weighting, radius>(sums[o]);
    }
}

/// Outputs [first, end): those near the ends of the input one by one, the others in strips.
template <class T, int radius, Weighting weighting, Boundary boundary, int bytes, int strip,
          Evaluation evaluation>
void chunk_outputs(const T* input, const Weights<T, weighting, radius>& weights, Index n,
                   Index first, Index end, T* output) {
    constexpr Index kReach = reach<boundary>(radius);
    const Index last_inside = n < 2 * radius ? 0 : n - 2 * radius + kReach;  // exclusive
    Index o = first;
    const auto one_by_one = [&](Index until) {
        for (; o < until; ++o) {
            output[o] = output_at<weighting, boundary, radius>(input, n, o, weights);
        }
    };
    one_by_one(smaller(end, kReach));
    while (o < smaller(end, last_inside)) {
        const auto count = static_cast<int>(smaller(strip, smaller(end, last_inside) - o));
        inside_strip<T, radius, weighting, bytes, strip, evaluation>(input + o - kReach, weights,
                                                                     count, output + o);
        o += count;
    }
    one_by_one(end);
}

template <class T, int radius, Weighting weighting, Boundary boundary, int bytes, int strip,
          Evaluation evaluation>
void stencil(const T* input, Weights<T, weighting, radius> weights, Index n, int threads,
             T* output) {
    const Index count = output_count<boundary>(n, radius);
    threads = useful_threads(threads, n * sizeof(T));
    const Index strips = ceil_div(count, strip);
    for_each(threads, threads, [&](Index share) {
        chunk_outputs<T, radius, weighting, boundary, bytes, strip, evaluation>(
            input, weights, n, share_begin(strips, share, threads) * strip,
            smaller(count, share_begin(strips, share + 1, threads) * strip), output);
    });
}

}  // namespace jitune
