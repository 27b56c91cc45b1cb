/* jitune template
kernel = "reduce"
backend = "host"
summary = "n elements to one value by an associative operation, one contiguous share per thread"
sizes = ["n"]
constraints = [
    "simd_bytes_used <= simd_bytes",
    "cores_per_thread <= cores",
    # Threads that would get no share of the data (kShareBytes below) make no difference.
    "threads <= ceil_div(n * element_bytes, 65536)",
]

[types.element]
int32 = "int"
int64 = "long long"
float32 = "float"
float64 = "double"

[types.accumulator]
int32 = "int"
int64 = "long long"
float32 = "float"
float64 = "double"

[types.operation]
sum = "jitune::Sum"
min = "jitune::Min"
max = "jitune::Max"

[parameters]
# Halved again and again, any number of cores gives different thread counts, from all to one. The
# last legal value is the default: all cores, or as many as have a share.
cores_per_thread = { values = [512, 256, 128, 64, 32, 16, 8, 4, 2, 1], default = 1 }
unroll = { values = [1, 2, 4, 8], default = 4 }
simd_bytes_used = { values = [16, 32, 64], default = 32 }

[derived]
threads = "cores / cores_per_thread"

[arguments]
values = { access = "in", type = "element", count = "n" }
n = { access = "scalar", type = "uint64", value = "n" }
threads = { access = "scalar", type = "int32", value = "threads" }
result = { access = "out", type = "accumulator", count = "1" }

[[launch]]
entry = "jitune::reduce"
template = ["element", "accumulator", "operation", "unroll", "simd_bytes_used"]
arguments = ["values", "n", "threads", "result"]
*/
#include "jitune_operations.h"

namespace jitune {

using Count = unsigned long long;

/// One thread's least work: less is done sooner than a thread wakes up.
constexpr Count kShareBytes = 65536;
constexpr int kMaxShares = 1024;

template <class T, int kLanes>
struct VectorOf {
    typedef T Type __attribute__((vector_size(kLanes * sizeof(T))));
};

/// The compiler's own vectors: each operator works lane by lane.
template <class T, int kLanes>
using Vector = typename VectorOf<T, kLanes>::Type;

template <class T>
constexpr bool kHasNan = T(0.5) != 0;

// The operations of jitune_operations.h on all lanes at once. Integers are spared the look for a
// NaN: with it, compilers do not see the minimum.
template <class Lane, class V>
JITUNE_FUNCTION V combine_lanes(Sum, V a, V b) {
    return a + b;
}
template <class Lane, class V>
JITUNE_FUNCTION V combine_lanes(Min, V a, V b) {
    if constexpr (kHasNan<Lane>) {
        return ((a < b) | (a != a)) ? a : b;
    }
    return a < b ? a : b;
}
template <class Lane, class V>
JITUNE_FUNCTION V combine_lanes(Max, V a, V b) {
    if constexpr (kHasNan<Lane>) {
        return ((a > b) | (a != a)) ? a : b;
    }
    return a > b ? a : b;
}

/// Sum wraps, so its lanes do; the other operations need the type's own order.
template <class A, class Operation>
struct LaneOf {
    using Type = A;
};
template <class A>
struct LaneOf<A, Sum> {
    using Type = typename Accumulator<A>::Wrapping;
};

/// What has been combined so far, lane by lane.
template <class Operation, class Lane, int kLanes>
struct Total {
    Vector<Lane, kLanes> value;

    JITUNE_FUNCTION void start(Lane identity) { value = identity - Vector<Lane, kLanes>{}; }
    JITUNE_FUNCTION void add(Vector<Lane, kLanes> other) {
        value = combine_lanes<Lane>(Operation{}, value, other);
    }
    JITUNE_FUNCTION void add_lane(const auto& other, int lane) {
        add(Vector<Lane, 1>{other.value[lane]});
    }
    JITUNE_FUNCTION auto result() const { return value[0]; }
};

/// Sums of floats are kept in float64 with what each addition rounded away, so that their error
/// does not grow with n.
template <int kLanes>
struct CompensatedTotal {
    Vector<double, kLanes> value, lost;

    JITUNE_FUNCTION void start(double) { value = lost = Vector<double, kLanes>{}; }
    JITUNE_FUNCTION void add(auto other) {
        const auto more = __builtin_convertvector(other, Vector<double, kLanes>);
        const auto sum = value + more;
        const auto gained = sum - value;
        lost += (value - (sum - gained)) + (more - gained);
        value = sum;
    }
    JITUNE_FUNCTION void add_lane(const auto& other, int lane) {
        add(Vector<double, 1>{other.value[lane]});
        lost += other.lost[lane];
    }
    /// An infinite sum has lost a NaN.
    JITUNE_FUNCTION double result() const {
        return lost[0] - lost[0] == 0 ? value[0] + lost[0] : value[0];
    }
};
template <int kLanes>
struct Total<Sum, float, kLanes> : CompensatedTotal<kLanes> {};
template <int kLanes>
struct Total<Sum, double, kLanes> : CompensatedTotal<kLanes> {};

template <class Element, class A, class Operation, int kUnroll, int kSimdBytes>
struct Share {
    using Lane = typename LaneOf<A, Operation>::Type;
    static constexpr int kLanes = kSimdBytes / int{sizeof(Lane)};
    static constexpr Count kStep = Count{kLanes} * kUnroll;
    /// Lanes of the element's precision take this many elements before they are added to the total.
    static constexpr Count kStepsPerBlock = 256;
    using Lanes = Vector<Lane, kLanes>;
    using Result = Total<Operation, Lane, 1>;

    static JITUNE_FUNCTION Lanes load(const Element* values) {
        Vector<Element, kLanes> elements;  // `values` is aligned to one element only
        __builtin_memcpy(&elements, values, sizeof elements);
        return __builtin_convertvector(elements, Lanes);
    }

    static JITUNE_FUNCTION Lanes reduce_block(const Element* values, Count steps) {
        Lanes lanes[kUnroll];
        for (int u = 0; u < kUnroll; ++u) {
            lanes[u] = load(values + u * kLanes);
        }
        for (Count step = 1; step < steps; ++step) {
            for (int u = 0; u < kUnroll; ++u) {
                const Lanes more = load(values + step * kStep + u * kLanes);
                lanes[u] = combine_lanes<Lane>(Operation{}, lanes[u], more);
            }
        }
        for (int half = kUnroll / 2; half > 0; half /= 2) {
            for (int u = 0; u < half; ++u) {
                lanes[u] = combine_lanes<Lane>(Operation{}, lanes[u], lanes[u + half]);
            }
        }
        return lanes[0];
    }

    static Result reduce(const Element* values, Count n) {
        const Lane identity = static_cast<Lane>(Operation::template identity<A>());
        Total<Operation, Lane, kLanes> total;
        total.start(identity);
        while (n >= kStep) {
            const Count steps = n / kStep < kStepsPerBlock ? n / kStep : kStepsPerBlock;
            total.add(reduce_block(values, steps));
            values += steps * kStep;
            n -= steps * kStep;
        }
        for (; n >= kLanes; n -= kLanes, values += kLanes) {
            total.add(load(values));
        }
        Lanes rest = identity - Lanes{};
        for (int i = 0; i < static_cast<int>(n); ++i) {
            rest[i] = static_cast<Lane>(values[i]);
        }
        total.add(rest);

        Result result;
        result.start(identity);
        for (int lane = 0; lane < kLanes; ++lane) {
            result.add_lane(total, lane);
        }
        return result;
    }
};

/// Combines in an order that depends on nothing but n, `threads` and the template arguments.
template <class Element, class A, class Operation, int kUnroll, int kSimdBytes>
void reduce(const Element* values, Count n, int threads, A* result) {
    using Share = jitune::Share<Element, A, Operation, kUnroll, kSimdBytes>;
    constexpr Count kUnit =
        4096 / sizeof(Element);  // shares end on pages where the data starts on one
    constexpr Count kLeast = kShareBytes / sizeof(Element);
    const Count most = (n + kLeast - 1) / kLeast;
    int shares = threads < kMaxShares ? threads : kMaxShares;
    shares = most < Count(shares) ? int(most) : shares;
    if (shares <= 1) {
        *result = static_cast<A>(Share::reduce(values, n).result());
        return;
    }

    struct alignas(64) Slot {  // one cache line each, so that threads do not share any
        typename Share::Result result;
    };
    Slot slots[kMaxShares];
    const Count units = (n + kUnit - 1) / kUnit;
#pragma omp parallel for num_threads(shares) schedule(static, 1)
    for (int share = 0; share < shares; ++share) {
        const Count first = units * share / shares * kUnit;
        const Count next = units * (share + 1) / shares * kUnit;
        slots[share].result = Share::reduce(values + first, (next < n ? next : n) - first);
    }
    for (int share = 1; share < shares; ++share) {
        slots[0].result.add_lane(slots[share].result, 0);
    }
    *result = static_cast<A>(slots[0].result.result());
}

}  // namespace jitune
