// The operations that reductions combine elements with, for every compiler that jitune hands
// templates to. No other header is included: that keeps an instantiation near 15 ms.
#pragma once

#ifdef __CUDACC__
#define JITUNE_FUNCTION __host__ __device__ __forceinline__
#else
#define JITUNE_FUNCTION inline __attribute__((always_inline))
#endif

namespace jitune {

/// What an operation must know of its accumulator: the type whose arithmetic wraps, and the extremes
/// (of floats the infinities, by their bits: not every compiler has the builtins for them).
template <class A>
struct Accumulator;

template <>
struct Accumulator<int> {
    using Wrapping = unsigned;
    static constexpr int kLowest = -2147483647 - 1;
    static constexpr int kHighest = 2147483647;
};

template <>
struct Accumulator<long long> {
    using Wrapping = unsigned long long;
    static constexpr long long kLowest = -9223372036854775807LL - 1;
    static constexpr long long kHighest = 9223372036854775807LL;
};

template <>
struct Accumulator<float> {
    using Wrapping = float;
    static constexpr float kLowest = -__builtin_bit_cast(float, 0x7f800000);
    static constexpr float kHighest = __builtin_bit_cast(float, 0x7f800000);
};

template <>
struct Accumulator<double> {
    using Wrapping = double;
    static constexpr double kLowest = -__builtin_bit_cast(double, 0x7ff0000000000000);
    static constexpr double kHighest = __builtin_bit_cast(double, 0x7ff0000000000000);
};

/// Integer sums wrap.
struct Sum {
    template <class A>
    static JITUNE_FUNCTION constexpr A identity() {
        return A(0);
    }
    template <class A>
    static JITUNE_FUNCTION constexpr A combine(A a, A b) {
        using Wrapping = typename Accumulator<A>::Wrapping;
        return static_cast<A>(static_cast<Wrapping>(a) + static_cast<Wrapping>(b));
    }
};

/// A NaN on either side gives NaN.
struct Min {
    template <class A>
    static JITUNE_FUNCTION constexpr A identity() {
        return Accumulator<A>::kHighest;
    }
    template <class A>
    static JITUNE_FUNCTION constexpr A combine(A a, A b) {
        return a < b || a != a ? a : b;
    }
};

/// A NaN on either side gives NaN.
struct Max {
    template <class A>
    static JITUNE_FUNCTION constexpr A identity() {
        return Accumulator<A>::kLowest;
    }
    template <class A>
    static JITUNE_FUNCTION constexpr A combine(A a, A b) {
        return a > b || a != a ? a : b;
    }
};

}  // namespace jitune
