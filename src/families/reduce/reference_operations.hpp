// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "jitune/error.hpp"
#include "jitune/reduction.hpp"

namespace jitune::internal::reference {

/// The operations, written a second time and for clarity: the reference must not share the kernels'
/// mistakes. V is the widest type of an element's kind: int64, uint64 or double. Each has
///     of(x, index)      the state of one element
///     combine(a, b)     `a` precedes `b`
///     answer(state, n)  as a number that is cast to the result's type

/// Arithmetic modulo 2^64. The lower 32 bits of a result are those of arithmetic modulo 2^32.
template <class V>
using Wrapping = std::conditional_t<std::is_integral_v<V>, std::uint64_t, double>;

/// A compensated sum of doubles: Sum2 of Ogita, Rump and Oishi,
/// "Accurate sum and dot product" (SIAM J. Sci. Comput. 26, 2005).
struct CarefulSum {
    double sum = 0;
    double error = 0;

    explicit CarefulSum(double value) : sum(value) {}

    [[nodiscard]] static CarefulSum add(CarefulSum a, const CarefulSum& b) {
        const double sum = a.sum + b.sum;
        const double part = sum - a.sum;
        a.error += b.error + ((a.sum - (sum - part)) + (b.sum - part));
        a.sum = sum;
        return a;
    }
    [[nodiscard]] double value() const { return std::isfinite(sum) ? sum + error : sum; }
};

inline CarefulSum add(const CarefulSum& a, const CarefulSum& b) {
    return CarefulSum::add(a, b);
}
inline std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    return a + b;
}

/// A sum as a value of type V.
template <class V>
V total(const CarefulSum& sum) {
    return sum.value();
}
template <class V>
V total(std::uint64_t sum) {
    return static_cast<V>(sum);
}

/// |x|; for the lowest integer modulo 2^64.
template <class V>
Wrapping<V> magnitude(V x) {
    const auto value = static_cast<Wrapping<V>>(x);
    return x < V{0} ? Wrapping<V>{0} - value : value;
}

template <class V>
struct Adding {
    using State = std::conditional_t<std::is_integral_v<V>, std::uint64_t, CarefulSum>;
    static State combine(const State& a, const State& b) { return add(a, b); }
    static V answer(const State& state, std::uint64_t) { return total<V>(state); }
};

template <class V>
struct Sum : Adding<V> {
    static auto of(V x, std::uint64_t) { return typename Sum::State(static_cast<Wrapping<V>>(x)); }
};

template <class V>
struct Mean : Sum<V> {
    static double answer(const typename Mean::State& state, std::uint64_t n) {
        return static_cast<double>(total<V>(state)) / static_cast<double>(n);
    }
};

template <class V>
struct SumAbs : Adding<V> {
    static auto of(V x, std::uint64_t) { return typename SumAbs::State(magnitude(x)); }
};

template <class V>
struct SumOfSquares : Adding<V> {
    static auto of(V x, std::uint64_t) {
        const auto value = static_cast<Wrapping<V>>(x);
        return typename SumOfSquares::State(value * value);
    }
};

template <class V>
struct Norm {
    static CarefulSum of(V x, std::uint64_t) {
        const auto value = static_cast<double>(x);
        return CarefulSum(value * value);
    }
    static CarefulSum combine(const CarefulSum& a, const CarefulSum& b) { return add(a, b); }
    static double answer(const CarefulSum& state, std::uint64_t) {
        return std::sqrt(state.value());
    }
};

template <class V>
struct Product {
    static Wrapping<V> of(V x, std::uint64_t) { return static_cast<Wrapping<V>>(x); }
    static Wrapping<V> combine(Wrapping<V> a, Wrapping<V> b) { return a * b; }
    static Wrapping<V> answer(Wrapping<V> state, std::uint64_t) { return state; }
};

/// The smaller or larger of two; a NaN wins.
template <bool smallest, class V>
V extreme(V a, V b) {
    if (a != a || b != b) {
        return a != a ? a : b;
    }
    return (smallest ? b < a : b > a) ? b : a;
}

template <class V>
struct Min {
    static V of(V x, std::uint64_t) { return x; }
    static V combine(V a, V b) { return extreme<true>(a, b); }
    static V answer(V state, std::uint64_t) { return state; }
};

template <class V>
struct Max {
    static V of(V x, std::uint64_t) { return x; }
    static V combine(V a, V b) { return extreme<false>(a, b); }
    static V answer(V state, std::uint64_t) { return state; }
};

template <class V>
struct MaxAbs {
    static Wrapping<V> of(V x, std::uint64_t) { return magnitude(x); }
    static Wrapping<V> combine(Wrapping<V> a, Wrapping<V> b) { return extreme<false>(a, b); }
    static Wrapping<V> answer(Wrapping<V> state, std::uint64_t) { return state; }
};

template <class V>
struct Placed {
    V value;
    std::uint64_t index;
};

/// The first of equal elements: the earlier state stays unless the later one is better.
template <class V, bool smallest>
struct ArgExtreme {
    static Placed<V> of(V x, std::uint64_t index) { return {x, index}; }
    static Placed<V> combine(const Placed<V>& a, const Placed<V>& b) {
        const bool better = smallest ? b.value < a.value : b.value > a.value;
        const bool first_nan = b.value != b.value && a.value == a.value;
        return better || first_nan ? b : a;
    }
    static std::uint64_t answer(const Placed<V>& state, std::uint64_t) { return state.index; }
};
template <class V>
using ArgMin = ArgExtreme<V, true>;
template <class V>
using ArgMax = ArgExtreme<V, false>;

template <class V>
struct CountNonzero {
    static std::uint64_t of(V x, std::uint64_t) { return x == V{0} ? 0 : 1; }
    static std::uint64_t combine(std::uint64_t a, std::uint64_t b) { return a + b; }
    static std::uint64_t answer(std::uint64_t state, std::uint64_t) { return state; }
};

template <class V>
struct All : CountNonzero<V> {
    static std::uint64_t combine(std::uint64_t a, std::uint64_t b) { return a & b; }
};

template <class V>
struct Any : CountNonzero<V> {
    static std::uint64_t combine(std::uint64_t a, std::uint64_t b) { return a | b; }
};

/// Calls use(Op{}) with the operation above that `op` names, for elements of type V. Throws
/// Error(usage) for a custom operation.
template <class V, class Use>
void visit_operation(ReduceOp op, Use use) {
    switch (op) {
        case ReduceOp::sum:
            return use(Sum<V>{});
        case ReduceOp::product:
            return use(Product<V>{});
        case ReduceOp::min:
            return use(Min<V>{});
        case ReduceOp::max:
            return use(Max<V>{});
        case ReduceOp::arg_min:
            return use(ArgMin<V>{});
        case ReduceOp::arg_max:
            return use(ArgMax<V>{});
        case ReduceOp::mean:
            return use(Mean<V>{});
        case ReduceOp::sum_of_squares:
            return use(SumOfSquares<V>{});
        case ReduceOp::norm:
            return use(Norm<V>{});
        case ReduceOp::sum_abs:
            return use(SumAbs<V>{});
        case ReduceOp::max_abs:
            return use(MaxAbs<V>{});
        case ReduceOp::all:
            return use(All<V>{});
        case ReduceOp::any:
            return use(Any<V>{});
        case ReduceOp::count_nonzero:
            return use(CountNonzero<V>{});
        case ReduceOp::custom:
            break;
    }
    throw Error(ErrorKind::usage, "reduce_reference: a custom operation has no reference here");
}

}  // namespace jitune::internal::reference
