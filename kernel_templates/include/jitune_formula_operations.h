// Operations that formulas have and reductions have not, with their states.
#pragma once

#include "jitune_functions.h"
#include "jitune_operations.h"

namespace jitune {

template <class T>
JITUNE_FUNCTION constexpr T zero() {
    return T();
}

/// A state and one more element. An operation that has add() need not combine two whole states for that.
template <class Op, class T>
JITUNE_FUNCTION typename Op::State with(const typename Op::State& state, T x, Index index) {
    if constexpr (requires { Op::add(state, x); }) {
        return Op::add(state, x);
    } else {
        return Op::combine(state, Op::map(x, index));
    }
}

/// The sum of some values, and how many they are.
template <class A>
struct Counted {
    A sum;
    Index count;
};

/// The mean of the elements that a condition chooses.
template <class T, class A, class R>
struct MeanWhere {
    using State = Counted<A>;
    static constexpr Combination kCombination = Combination::other;
    static JITUNE_FUNCTION constexpr State identity() { return {A(0), 0}; }
    static JITUNE_FUNCTION constexpr State map(T x, Index) { return {convert<A>(x), 1}; }
    static JITUNE_FUNCTION State combine(const State& a, const State& b) { return {a.sum + b.sum, a.count + b.count}; }
    static JITUNE_FUNCTION R result(const State& a, Index) { return Mean<T, A, R>::result(a.sum, a.count); }
};

/// The differences of some values from the first: their mean, and the sum of the squared differences from that.
template <class A>
struct Spread {
    A first;
    A mean;
    A squares;
    A count;
};

/// The variance of a population, which var is in NumPy, too. Of no elements NaN. An element is added as in B. P. Welford,
/// "Note on a Method for Calculating Corrected Sums of Squares and Products" (1962); states are combined as in T. F. Chan,
/// G. H. Golub and R. J. LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances" (1979). Both
/// work on differences from a first value: the mean of many would not move any more if it were large. Quotients need not
/// be exact, for the squares take the means as they are.
template <class T, class A, class R>
struct Variance {
    using State = Spread<A>;
    static constexpr Combination kCombination = Combination::other;
    static JITUNE_FUNCTION constexpr State identity() { return {A(0), A(0), A(0), A(0)}; }
    static JITUNE_FUNCTION constexpr State map(T x, Index) { return {convert<A>(x), A(0), A(0), A(1)}; }
    static JITUNE_FUNCTION State add(const State& a, T x) {
        const A value = convert<A>(x);
        const A first = a.count == A(0) ? value : a.first;
        const A count = a.count + A(1);
        const A apart = value - first - a.mean;
        const A step = apart * near_quotient(A(1), count);
        return {first, a.mean + step, a.squares + apart * (apart - step), count};
    }
    static JITUNE_FUNCTION State combine(const State& a, const State& b) {
        if (a.count == A(0) || b.count == A(0)) {
            return a.count == A(0) ? b : a;
        }
        const A count = a.count + b.count;
        const A share = near_quotient(b.count, count);
        const A apart = b.first - a.first + b.mean - a.mean;
        return {a.first, a.mean + apart * share, a.squares + b.squares + apart * apart * a.count * share, count};
    }
    static JITUNE_FUNCTION R result(const State& a, Index) { return static_cast<R>(variance(a)); }
    static JITUNE_FUNCTION A variance(const State& a) { return a.squares / a.count; }
};

template <class T, class A, class R>
struct Deviation : Variance<T, A, R> {
    static JITUNE_FUNCTION R result(const Spread<A>& a, Index) {
        return static_cast<R>(formula_sqrt(Variance<T, A, R>::variance(a)));
    }
};

/// The largest of some values, and the sum of exp(value - largest).
template <class A>
struct Exponentials {
    A top;
    A sum;
};

/// log(sum(exp(x))) without overflow. Of no elements -infinity.
template <class T, class A, class R>
struct LogSumExp {
    using State = Exponentials<A>;
    static constexpr Combination kCombination = Combination::other;
    static JITUNE_FUNCTION constexpr State identity() { return {Number<A>::kLowest, A(0)}; }
    static JITUNE_FUNCTION constexpr State map(T x, Index) { return {convert<A>(x), A(1)}; }
    static JITUNE_FUNCTION State combine(const State& a, const State& b) {
        const bool second = a.top < b.top;
        const A top = second ? b.top : a.top;
        const A less = second ? a.top : b.top;
        // Equal infinities have no difference.
        const A scale = less == top ? A(1) : formula_exp(less - top);
        return second ? State{top, b.sum + a.sum * scale} : State{top, a.sum + b.sum * scale};
    }
    static JITUNE_FUNCTION R result(const State& a, Index) { return static_cast<R>(a.top + formula_log(a.sum)); }
};

}  // namespace jitune
