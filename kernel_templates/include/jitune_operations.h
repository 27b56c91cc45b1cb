// The operations that reductions combine elements with. Each is a template over the element T, the
// accumulator A and the result R, and has
//     State                  what is combined: trivially copyable, at most 16 bytes
//     kCombination           how two states are combined, where the hardware may know it too
//     identity()             the state of no elements
//     map(x, index)          the state of one element
//     combine(a, b)          associative and commutative, but for the rounding of floats
//     result(state, n)       the answer for n elements
#pragma once

#include "jitune_types.h"

namespace jitune {

enum class Combination { add, multiply, smallest, largest, other };

template <class A>
JITUNE_FUNCTION constexpr A wrapping_add(A a, A b) {
    using Wrapping = typename Number<A>::Wrapping;
    return static_cast<A>(static_cast<Wrapping>(a) + static_cast<Wrapping>(b));
}

template <class A>
JITUNE_FUNCTION constexpr A wrapping_multiply(A a, A b) {
    using Wrapping = typename Number<A>::Wrapping;
    return static_cast<A>(static_cast<Wrapping>(a) * static_cast<Wrapping>(b));
}

/// |a|; the lowest integer's wraps to itself.
template <class A>
JITUNE_FUNCTION constexpr A magnitude(A a) {
    if constexpr (kIsFloat<A>) {
        return a < A(0) ? -a : a;
    } else if constexpr (kIsSigned<A>) {
        using Wrapping = typename Number<A>::Wrapping;
        return a < A(0) ? static_cast<A>(Wrapping(0) - static_cast<Wrapping>(a)) : a;
    } else {
        return a;
    }
}

template <class A>
JITUNE_FUNCTION A square_root(A a) {
#ifdef __CUDA_ARCH__
    return sqrt(a);
#else
    return static_cast<A>(sizeof(A) == 4 ? __builtin_sqrtf(static_cast<float>(a))
                                         : __builtin_sqrt(static_cast<double>(a)));
#endif
}

/// What the operations that add have in common. Integers wrap.
template <class A>
struct Adding {
    using State = A;
    static constexpr Combination kCombination = Combination::add;
    static JITUNE_FUNCTION constexpr A identity() { return A(0); }
    static JITUNE_FUNCTION constexpr A combine(A a, A b) { return wrapping_add(a, b); }
};

template <class T, class A, class R>
struct Sum : Adding<A> {
    static JITUNE_FUNCTION constexpr A map(T x, Index) { return convert<A>(x); }
    static JITUNE_FUNCTION constexpr R result(A a, Index) { return static_cast<R>(a); }
};

template <class T, class A, class R>
struct SumOfSquares : Adding<A> {
    static JITUNE_FUNCTION constexpr A map(T x, Index) {
        return wrapping_multiply(convert<A>(x), convert<A>(x));
    }
    static JITUNE_FUNCTION constexpr R result(A a, Index) { return static_cast<R>(a); }
};

template <class T, class A, class R>
struct SumAbs : Adding<A> {
    static JITUNE_FUNCTION constexpr A map(T x, Index) { return magnitude(convert<A>(x)); }
    static JITUNE_FUNCTION constexpr R result(A a, Index) { return static_cast<R>(a); }
};

/// Of no elements NaN.
template <class T, class A, class R>
struct Mean : Adding<A> {
    static JITUNE_FUNCTION constexpr A map(T x, Index) { return convert<A>(x); }
    static JITUNE_FUNCTION R result(A a, Index n) {
        using Real = typename Number<R>::Wrapping;
        return static_cast<R>(static_cast<Real>(a) / static_cast<Real>(n));
    }
};

template <class T, class A, class R>
struct Norm : Adding<A> {
    static JITUNE_FUNCTION constexpr A map(T x, Index) { return convert<A>(x) * convert<A>(x); }
    static JITUNE_FUNCTION R result(A a, Index) {
        return static_cast<R>(square_root(a));
    }
};

template <class T, class A, class R>
struct CountNonzero : Adding<A> {
    static JITUNE_FUNCTION constexpr A map(T x, Index) {
        if constexpr (requires { to_float(x); }) {
            return (x.bits & 0x7fff) != 0 ? A(1) : A(0);
        } else {
            return x != T(0) ? A(1) : A(0);
        }
    }
    static JITUNE_FUNCTION constexpr R result(A a, Index) { return static_cast<R>(a); }
};

template <class T, class A, class R>
struct Product {
    using State = A;
    static constexpr Combination kCombination = Combination::multiply;
    static JITUNE_FUNCTION constexpr A identity() { return A(1); }
    static JITUNE_FUNCTION constexpr A map(T x, Index) { return convert<A>(x); }
    static JITUNE_FUNCTION constexpr A combine(A a, A b) { return wrapping_multiply(a, b); }
    static JITUNE_FUNCTION constexpr R result(A a, Index) { return static_cast<R>(a); }
};

/// An extreme as a result. Of no elements it is A's, whose upper bits are those of a narrower
/// integer's.
template <class R, class A>
JITUNE_FUNCTION constexpr R extreme(A a) {
    if constexpr (sizeof(R) < sizeof(A)) {
        if constexpr (!kIsFloat<A>) {
            const R narrow = static_cast<R>(a);
            constexpr int kDropped = 8 * (sizeof(A) - sizeof(R));
            return static_cast<A>(narrow) == a ? narrow : static_cast<R>(a >> kDropped);
        }
    }
    return static_cast<R>(a);
}

/// The smaller or the larger of two. A NaN on either side gives NaN.
template <bool smallest, class A>
JITUNE_FUNCTION A better_of(A a, A b) {
#if __CUDA_ARCH__ >= 800
    if constexpr (kSame<A, float>) {
        A result;
        if constexpr (smallest) {
            asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
        } else {
            asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
        }
        return result;
    }
#endif
    return (smallest ? a < b : a > b) || a != a ? a : b;
}

template <class T, class A, class R>
struct Min {
    using State = A;
    static constexpr Combination kCombination = Combination::smallest;
    static JITUNE_FUNCTION constexpr A identity() { return Number<A>::kHighest; }
    static JITUNE_FUNCTION constexpr A map(T x, Index) { return convert<A>(x); }
    static JITUNE_FUNCTION A combine(A a, A b) { return better_of<true>(a, b); }
    static JITUNE_FUNCTION constexpr R result(A a, Index) { return extreme<R>(a); }
};

template <class T, class A, class R>
struct Max {
    using State = A;
    static constexpr Combination kCombination = Combination::largest;
    static JITUNE_FUNCTION constexpr A identity() { return Number<A>::kLowest; }
    static JITUNE_FUNCTION constexpr A map(T x, Index) { return convert<A>(x); }
    static JITUNE_FUNCTION A combine(A a, A b) { return better_of<false>(a, b); }
    static JITUNE_FUNCTION constexpr R result(A a, Index) { return extreme<R>(a); }
};

/// Integers are compared as magnitudes without a sign: that of the lowest has no signed type.
template <class T, class A, class R>
struct MaxAbs {
    using State = typename Number<A>::Wrapping;
    static constexpr Combination kCombination = Combination::largest;
    static JITUNE_FUNCTION constexpr State identity() { return State(0); }
    static JITUNE_FUNCTION constexpr State map(T x, Index) {
        return static_cast<State>(magnitude(convert<A>(x)));
    }
    static JITUNE_FUNCTION State combine(State a, State b) { return better_of<false>(a, b); }
    static JITUNE_FUNCTION constexpr R result(State a, Index) { return static_cast<R>(a); }
};

template <class T, class A, class R>
struct All {
    using State = A;
    static constexpr Combination kCombination = Combination::smallest;
    static JITUNE_FUNCTION constexpr A identity() { return A(1); }
    static JITUNE_FUNCTION constexpr A map(T x, Index index) {
        return CountNonzero<T, A, A>::map(x, index);
    }
    static JITUNE_FUNCTION constexpr A combine(A a, A b) { return a < b ? a : b; }
    static JITUNE_FUNCTION constexpr R result(A a, Index) { return static_cast<R>(a); }
};

template <class T, class A, class R>
struct Any {
    using State = A;
    static constexpr Combination kCombination = Combination::largest;
    static JITUNE_FUNCTION constexpr A identity() { return A(0); }
    static JITUNE_FUNCTION constexpr A map(T x, Index index) {
        return CountNonzero<T, A, A>::map(x, index);
    }
    static JITUNE_FUNCTION constexpr A combine(A a, A b) { return a > b ? a : b; }
    static JITUNE_FUNCTION constexpr R result(A a, Index) { return static_cast<R>(a); }
};

/// A value and where it is; ~0 stands for nowhere.
template <class A, class I = Index>
struct Indexed {
    A value;
    I index;
};

template <class State>
constexpr bool kIsIndexed = false;
template <class A, class I>
constexpr bool kIsIndexed<Indexed<A, I>> = true;

/// The index of the extreme value, of equal ones the first; the first NaN wins, as in NumPy. Of no
/// elements -1.
template <class T, class A, class R, bool smallest, class I = Index>
struct ArgExtreme {
    using State = Indexed<A, I>;
    /// The same for fewer than 2^32 - 1 elements.
    using Narrow = ArgExtreme<T, A, R, smallest, unsigned>;
    static constexpr bool kSmallest = smallest;
    static constexpr Combination kCombination = Combination::other;
    static JITUNE_FUNCTION constexpr State identity() {
        return {smallest ? Number<A>::kHighest : Number<A>::kLowest, static_cast<I>(~Index{0})};
    }
    static JITUNE_FUNCTION constexpr State map(T x, Index index) {
        return {convert<A>(x), static_cast<I>(index)};
    }
    /// Whether x takes the place of a `best` that comes before it.
    static JITUNE_FUNCTION constexpr bool improves(A x, A best) {
        if constexpr (kIsFloat<A>) {
            return best == best && !(smallest ? x >= best : x <= best);
        } else {
            return smallest ? x < best : x > best;
        }
    }
    static JITUNE_FUNCTION constexpr bool precedes(const State& a, const State& b) {
        if constexpr (kIsFloat<A>) {
            const bool a_nan = a.value != a.value;
            const bool b_nan = b.value != b.value;
            if (a_nan || b_nan) {
                return a_nan && (!b_nan || a.index < b.index);
            }
        }
        const bool better = smallest ? a.value < b.value : a.value > b.value;
        return better || (a.value == b.value && a.index < b.index);
    }
    static JITUNE_FUNCTION constexpr State combine(State a, State b) {
        return precedes(a, b) ? a : b;
    }
    static JITUNE_FUNCTION constexpr R result(State a, Index) {
        return a.index == identity().index ? R(-1) : static_cast<R>(a.index);
    }
};

template <class T, class A, class R>
struct ArgMin : ArgExtreme<T, A, R, true> {};

template <class T, class A, class R>
struct ArgMax : ArgExtreme<T, A, R, false> {};

/// The operation with indexes of 4 or 8 bytes. An operation without indexes is itself.
template <class Op, int index_bytes>
struct Indexing {
    using Type = Op;
};
template <class Op>
struct Indexing<Op, 4> {
    using Type = typename Op::Narrow;
};

}  // namespace jitune
