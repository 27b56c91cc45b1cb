// The functions of formulas, over elements of one type. Float functions have a form for float and one for double.
#pragma once

#include "jitune_types.h"

namespace jitune {

#ifdef __CUDACC__
#define JITUNE_MATH(name, f) name##f
#else  // without a header
#define JITUNE_MATH(name, f) __builtin_##name##f
#endif
#define JITUNE_UNARY(name)                                                             \
    JITUNE_FUNCTION float formula_##name(float x) { return JITUNE_MATH(name, f)(x); } \
    JITUNE_FUNCTION double formula_##name(double x) { return JITUNE_MATH(name, )(x); }
#define JITUNE_BINARY(name)                                                                           \
    JITUNE_FUNCTION float formula_##name(float x, float y) { return JITUNE_MATH(name, f)(x, y); }    \
    JITUNE_FUNCTION double formula_##name(double x, double y) { return JITUNE_MATH(name, )(x, y); }

JITUNE_UNARY(fabs)
JITUNE_UNARY(sqrt)
JITUNE_UNARY(cbrt)
JITUNE_UNARY(exp)
JITUNE_UNARY(exp2)
JITUNE_UNARY(expm1)
JITUNE_UNARY(log)
JITUNE_UNARY(log2)
JITUNE_UNARY(log10)
JITUNE_UNARY(log1p)
JITUNE_UNARY(sin)
JITUNE_UNARY(cos)
JITUNE_UNARY(tan)
JITUNE_UNARY(asin)
JITUNE_UNARY(acos)
JITUNE_UNARY(atan)
JITUNE_UNARY(sinh)
JITUNE_UNARY(cosh)
JITUNE_UNARY(tanh)
JITUNE_UNARY(asinh)
JITUNE_UNARY(acosh)
JITUNE_UNARY(atanh)
JITUNE_UNARY(erf)
JITUNE_UNARY(erfc)
JITUNE_UNARY(tgamma)
JITUNE_UNARY(lgamma)
JITUNE_UNARY(floor)
JITUNE_UNARY(ceil)
JITUNE_UNARY(trunc)
JITUNE_UNARY(rint)
JITUNE_BINARY(fmin)
JITUNE_BINARY(fmax)
JITUNE_BINARY(pow)
JITUNE_BINARY(atan2)
JITUNE_BINARY(fmod)
JITUNE_BINARY(hypot)
JITUNE_BINARY(copysign)

#undef JITUNE_UNARY
#undef JITUNE_BINARY

JITUNE_FUNCTION float formula_fma(float x, float y, float z) { return JITUNE_MATH(fma, f)(x, y, z); }
JITUNE_FUNCTION double formula_fma(double x, double y, double z) { return JITUNE_MATH(fma, )(x, y, z); }

#undef JITUNE_MATH

JITUNE_FUNCTION float formula_rsqrt(float x) {
#ifdef __CUDA_ARCH__
    return rsqrtf(x);
#else
    return 1 / formula_sqrt(x);
#endif
}
JITUNE_FUNCTION double formula_rsqrt(double x) { return 1 / formula_sqrt(x); }

/// a / b for a b of a magnitude below 2^126: of float32 on a GPU within two units in the last place.
template <class A>
JITUNE_FUNCTION A near_quotient(A a, A b) {
#if __CUDA_ARCH__
    if constexpr (kSame<A, float>) {
        return __fdividef(a, b);
    }
#endif
    return a / b;
}

// Arithmetic of integers: it wraps, and a division by zero gives 0.

template <class A>
JITUNE_FUNCTION constexpr A formula_add(A x, A y) {
    using Wrapping = typename Number<A>::Wrapping;
    return static_cast<A>(static_cast<Wrapping>(x) + static_cast<Wrapping>(y));
}
template <class A>
JITUNE_FUNCTION constexpr A formula_subtract(A x, A y) {
    using Wrapping = typename Number<A>::Wrapping;
    return static_cast<A>(static_cast<Wrapping>(x) - static_cast<Wrapping>(y));
}
template <class A>
JITUNE_FUNCTION constexpr A formula_multiply(A x, A y) {
    using Wrapping = typename Number<A>::Wrapping;
    return static_cast<A>(static_cast<Wrapping>(x) * static_cast<Wrapping>(y));
}
template <class A>
JITUNE_FUNCTION constexpr A formula_divide(A x, A y) {
    if constexpr (kIsSigned<A>) {
        if (y == A(-1)) {
            return formula_subtract(A(0), x);  // the lowest integer has no quotient
        }
    }
    return y == A(0) ? A(0) : x / y;
}
template <class A>
JITUNE_FUNCTION constexpr A formula_remainder(A x, A y) {
    if constexpr (kIsSigned<A>) {
        if (y == A(-1)) {
            return A(0);
        }
    }
    return y == A(0) ? A(0) : x % y;
}
/// Shifts by the count modulo the bits of A.
template <class A>
JITUNE_FUNCTION constexpr A formula_shift_left(A x, A count) {
    using Wrapping = typename Number<A>::Wrapping;
    return static_cast<A>(static_cast<Wrapping>(x) << (static_cast<Wrapping>(count) & (8 * sizeof(A) - 1)));
}
template <class A>
JITUNE_FUNCTION constexpr A formula_shift_right(A x, A count) {
    using Wrapping = typename Number<A>::Wrapping;
    return x >> (static_cast<Wrapping>(count) & (8 * sizeof(A) - 1));
}

/// x to a power of 2 to 8, by multiplications.
template <int exponent, class A>
JITUNE_FUNCTION constexpr A formula_power(A x) {
    if constexpr (exponent == 1) {
        return x;
    } else {
        const A half = formula_power<exponent / 2>(x);
        const A square = formula_multiply(half, half);
        return exponent % 2 == 0 ? square : formula_multiply(square, x);
    }
}

/// |x|; the lowest integer's wraps to itself.
template <class A>
JITUNE_FUNCTION constexpr A formula_abs(A x) {
    if constexpr (kIsFloat<A>) {
        return x < A(0) ? -x : x + A(0);
    } else {
        return x < A(0) ? formula_subtract(A(0), x) : x;
    }
}
/// A NaN on either side gives NaN.
template <class A>
JITUNE_FUNCTION constexpr A formula_min(A x, A y) { return x < y || x != x ? x : y; }
template <class A>
JITUNE_FUNCTION constexpr A formula_max(A x, A y) { return x > y || x != x ? x : y; }

template <class A>
JITUNE_FUNCTION constexpr bool formula_isnan(A x) { return x != x; }
template <class A>
JITUNE_FUNCTION constexpr bool formula_isfinite(A x) { return x - x == A(0); }
template <class A>
JITUNE_FUNCTION constexpr bool formula_isinf(A x) { return x == x && x - x != A(0); }

/// As C++ converts, but a float that no integer of the type holds gives its nearest one, and NaN gives 0.
template <class To, class From>
JITUNE_FUNCTION constexpr To formula_cast(From x) {
    if constexpr (kIsFloat<From> && !kIsFloat<To>) {
        constexpr int kBits = 8 * sizeof(To) - (kIsSigned<To> ? 1 : 0);
        const From end = static_cast<From>(1ULL << (kBits - 1)) * 2;
        const From low = kIsSigned<To> ? -end : From(0);
        using Wrapping = typename Number<To>::Wrapping;
        constexpr To kHigh = static_cast<To>(static_cast<Wrapping>(~Wrapping{0}) >> (kIsSigned<To> ? 1 : 0));
        constexpr To kLow = kIsSigned<To> ? static_cast<To>(~static_cast<Wrapping>(kHigh)) : To(0);
        return x != x ? To(0) : x >= end ? kHigh : x < low ? kLow : static_cast<To>(x);
    } else {
        return static_cast<To>(x);
    }
}

}  // namespace jitune
