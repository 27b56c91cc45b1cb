// The element types of kernel templates, for every compiler that jitune hands them to. No other
// header is included: that keeps an instantiation near 15 ms.
#pragma once

#ifdef __CUDACC__
#define JITUNE_FUNCTION __host__ __device__ __forceinline__
#else
#define JITUNE_FUNCTION inline __attribute__((always_inline))
#endif

namespace jitune {

/// Counts elements, and tells one from another.
using Index = unsigned long long;

/// Conversion from float rounds to nearest, ties to even.
struct float16 {
    unsigned short bits;
    float16() = default;
    JITUNE_FUNCTION explicit float16(float value);
};
struct bfloat16 {
    unsigned short bits;
    bfloat16() = default;
    JITUNE_FUNCTION explicit bfloat16(float value);
};

JITUNE_FUNCTION float to_float(bfloat16 value) {
    return __builtin_bit_cast(float, static_cast<unsigned>(value.bits) << 16);
}

JITUNE_FUNCTION float to_float(float16 value) {
#ifdef __CUDA_ARCH__
    float result;
    asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value.bits));
    return result;
#else
    // Shifted into place, the exponent is that of a float32 times 2^-112; the multiplication also
    // makes subnormals right. What is infinite or NaN had the largest exponent.
    const unsigned magnitude = static_cast<unsigned>(value.bits & 0x7fffu) << 13;
    const float scaled = __builtin_bit_cast(float, magnitude) * 0x1p112f;
    const unsigned finite = __builtin_bit_cast(unsigned, scaled);
    const unsigned sign = static_cast<unsigned>(value.bits & 0x8000u) << 16;
    const unsigned special = magnitude >= 0x0f800000u ? 0x7f800000u : 0u;
    return __builtin_bit_cast(float, finite | special | sign);
#endif
}

/// Cuts the lowest `dropped` bits off and rounds the upper ones. A carry runs into the exponent, as
/// it should.
JITUNE_FUNCTION unsigned rounded_off(unsigned bits, int dropped) {
    return (bits + (1u << (dropped - 1)) - 1 + (bits >> dropped & 1)) >> dropped;
}

JITUNE_FUNCTION bfloat16::bfloat16(float value) {
    const unsigned whole = __builtin_bit_cast(unsigned, value);
    const unsigned upper = value != value ? whole >> 16 | 0x40 : rounded_off(whole, 16);
    bits = static_cast<unsigned short>(upper);
}

JITUNE_FUNCTION float16::float16(float value) {
#ifdef __CUDA_ARCH__
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
#else
    const unsigned whole = __builtin_bit_cast(unsigned, value);
    const unsigned magnitude = whole & 0x7fffffff;
    unsigned half = rounded_off(magnitude, 13) - (112 << 10);
    if (magnitude < 0x38800000) {  // below 2^-14: 0.5f's last bit is worth a subnormal's unit
        const float sum = __builtin_bit_cast(float, magnitude) + 0.5f;
        half = __builtin_bit_cast(unsigned, sum) - 0x3f000000;
    } else if (magnitude >= 0x477ff000) {  // from 65520 on, and NaN
        half = magnitude > 0x7f800000 ? 0x7e00 : 0x7c00;
    }
    bits = static_cast<unsigned short>(half | (whole >> 16 & 0x8000));
#endif
}

/// An element as the accumulator's type. Exact wherever the accumulator is as wide as the element.
template <class A, class T>
JITUNE_FUNCTION constexpr A convert(T value) {
    if constexpr (requires { to_float(value); }) {
        return static_cast<A>(to_float(value));
    } else {
        return static_cast<A>(value);
    }
}

/// What an operation must know of a number type: the type whose arithmetic wraps, and the extremes
/// (of floats the infinities, by their bits: not every compiler has the builtins for them).
template <class A>
struct Number;

template <>
struct Number<int> {
    using Wrapping = unsigned;
    static constexpr int kLowest = -2147483647 - 1;
    static constexpr int kHighest = 2147483647;
};

template <>
struct Number<unsigned> {
    using Wrapping = unsigned;
    static constexpr unsigned kLowest = 0;
    static constexpr unsigned kHighest = 4294967295u;
};

template <>
struct Number<long long> {
    using Wrapping = unsigned long long;
    static constexpr long long kLowest = -9223372036854775807LL - 1;
    static constexpr long long kHighest = 9223372036854775807LL;
};

template <>
struct Number<unsigned long long> {
    using Wrapping = unsigned long long;
    static constexpr unsigned long long kLowest = 0;
    static constexpr unsigned long long kHighest = 18446744073709551615ull;
};

template <>
struct Number<float> {
    using Wrapping = float;
    static constexpr float kLowest = -__builtin_bit_cast(float, 0x7f800000);
    static constexpr float kHighest = __builtin_bit_cast(float, 0x7f800000);
};

template <>
struct Number<double> {
    using Wrapping = double;
    static constexpr double kLowest = -__builtin_bit_cast(double, 0x7ff0000000000000);
    static constexpr double kHighest = __builtin_bit_cast(double, 0x7ff0000000000000);
};

/// Results of these types are computed in float, then rounded.
template <>
struct Number<float16> {
    using Wrapping = float;
};
template <>
struct Number<bfloat16> {
    using Wrapping = float;
};

template <class A, class B>
constexpr bool kSame = false;
template <class A>
constexpr bool kSame<A, A> = true;
template <class A>
constexpr bool kIsFloat = A(0.5) != A(0);
template <class A>
constexpr bool kIsSigned = A(-1) < A(0);

}  // namespace jitune
