// The vectors of g++ and clang++, whose operators work lane by lane, and what those lack: loads and
// conversions that become one instruction, and reductions of lanes.
#pragma once

#include "jitune_types.h"

// g++ 12 and 13 merge functions that look alike, but were optimised for different ranges of a
// parameter (GCC bug 113907), such as the ends of two folds with vectors of different sizes.
#define JITUNE_UNMERGED __attribute__((no_icf))

namespace jitune {

template <class T, int kLanes>
struct VectorOf {
    typedef T Type __attribute__((vector_size(kLanes * sizeof(T))));
};
template <class T, int kLanes>
using Vector = typename VectorOf<T, kLanes>::Type;

template <int kBytes, bool kSigned>
struct IntegerOf;
template <>
struct IntegerOf<1, true> {
    using Type = signed char;
};
template <>
struct IntegerOf<1, false> {
    using Type = unsigned char;
};
template <>
struct IntegerOf<2, true> {
    using Type = short;
};
template <>
struct IntegerOf<2, false> {
    using Type = unsigned short;
};
template <>
struct IntegerOf<4, true> {
    using Type = int;
};
template <>
struct IntegerOf<4, false> {
    using Type = unsigned;
};
template <>
struct IntegerOf<8, true> {
    using Type = long long;
};
template <>
struct IntegerOf<8, false> {
    using Type = unsigned long long;
};
template <int kBytes>
using Signed = typename IntegerOf<kBytes, true>::Type;
template <int kBytes>
using Unsigned = typename IntegerOf<kBytes, false>::Type;

template <class T>
struct StoredAs {
    static constexpr bool kHalf = false;
    using Type = T;
};
template <>
struct StoredAs<float16> {
    static constexpr bool kHalf = true;
    using Type = unsigned short;
};
template <>
struct StoredAs<bfloat16> {
    static constexpr bool kHalf = true;
    using Type = unsigned short;
};
/// The builtin type that an element is loaded as.
template <class T>
using Stored = typename StoredAs<T>::Type;
template <class T>
constexpr bool kIsHalf = StoredAs<T>::kHalf;
template <>
inline constexpr bool kIsFloat<float16> = true;
template <>
inline constexpr bool kIsFloat<bfloat16> = true;

/// Lanes by lane values; g++ 12 turns a conversion over more than one size into scalar code, so
/// narrow integers widen step by step. A signed lane of the next size holds each of them.
template <class To, class From, int kLanes>
JITUNE_FUNCTION Vector<To, kLanes> convert_lanes(Vector<From, kLanes> from) {
    constexpr bool kNarrow = !kIsFloat<From> && sizeof(From) < 4;
    constexpr bool kFar = sizeof(To) > 2 * sizeof(From) || kIsFloat<To>;
    if constexpr (kNarrow && kFar) {
        using Next = Signed<2 * sizeof(From)>;
        return convert_lanes<To, Next, kLanes>(
            __builtin_convertvector(from, Vector<Next, kLanes>));
    } else {
        return __builtin_convertvector(from, Vector<To, kLanes>);
    }
}

template <int kLanes>
JITUNE_FUNCTION Vector<float, kLanes> float_lanes(bfloat16, Vector<unsigned short, kLanes> from) {
    const auto bits = __builtin_convertvector(from, Vector<unsigned, kLanes>) << 16;
    return __builtin_bit_cast(Vector<float, kLanes>, bits);
}

/// Works on bits, as to_float() says, if there is no instruction.
template <int kLanes>
JITUNE_FUNCTION Vector<float, kLanes> float_lanes(float16, Vector<unsigned short, kLanes> from) {
#ifdef __AVX512F__
    if constexpr (kLanes == 16) {
        return __builtin_ia32_vcvtph2ps512_mask(__builtin_bit_cast(Vector<short, 16>, from),
                                                Vector<float, 16>{}, -1, 4);
    }
#endif
#ifdef __F16C__
    if constexpr (kLanes == 8) {
        return __builtin_ia32_vcvtph2ps256(__builtin_bit_cast(Vector<short, 8>, from));
    }
#endif
    using Bits = Vector<unsigned, kLanes>;
    using Floats = Vector<float, kLanes>;
    const Bits bits = __builtin_convertvector(from, Bits);
    const Bits magnitude = (bits & 0x7fffu) << 13;
    const Floats scaled = __builtin_bit_cast(Floats, magnitude) * 0x1p112f;
    const Bits special = __builtin_bit_cast(Bits, magnitude >= 0x0f800000u) & 0x7f800000u;
    return __builtin_bit_cast(
        Floats, __builtin_bit_cast(Bits, scaled) | special | (bits & 0x8000u) << 16);
}

/// Elements as they are stored; `values` is aligned to one element only.
template <int kLanes, class T>
JITUNE_FUNCTION Vector<Stored<T>, kLanes> load_stored(const T* values) {
    Vector<Stored<T>, kLanes> lanes;
    __builtin_memcpy(&lanes, values, sizeof lanes);
    return lanes;
}

template <class Lane, class T, int kLanes>
JITUNE_FUNCTION Vector<Lane, kLanes> value_lanes(Vector<Stored<T>, kLanes> stored) {
    if constexpr (kIsHalf<T>) {
        return convert_lanes<Lane, float, kLanes>(float_lanes<kLanes>(T{}, stored));
    } else {
        return convert_lanes<Lane, T, kLanes>(stored);
    }
}

/// Lanes of an integer type of twice the width: those with an even number, and the others. Two
/// shifts; a conversion would move halves of registers about.
template <class From>
using Wider = typename IntegerOf<2 * sizeof(From), kIsSigned<From>>::Type;
template <class From, int kLanes>
JITUNE_FUNCTION Vector<Wider<From>, kLanes / 2> even_lanes(Vector<From, kLanes> from) {
    constexpr int kBits = 8 * sizeof(From);
    return __builtin_bit_cast(Vector<Wider<From>, kLanes / 2>, from) << kBits >> kBits;
}
template <class From, int kLanes>
JITUNE_FUNCTION Vector<Wider<From>, kLanes / 2> odd_lanes(Vector<From, kLanes> from) {
    return __builtin_bit_cast(Vector<Wider<From>, kLanes / 2>, from) >> 8 * sizeof(From);
}

/// The sums of neighbours until each fills a lane of type To, which is no narrower than From.
template <class To, class From, int kLanes>
JITUNE_FUNCTION auto add_neighbours(Vector<From, kLanes> from) {
    if constexpr (sizeof(To) == sizeof(From)) {
        return __builtin_bit_cast(Vector<To, kLanes>, from);
    } else {
        return add_neighbours<To, Wider<From>, kLanes / 2>(even_lanes<From, kLanes>(from) +
                                                           odd_lanes<From, kLanes>(from));
    }
}

template <class V>
struct Halves {
    V low, high;
};
template <class T, int kLanes>
JITUNE_FUNCTION auto halves(Vector<T, kLanes> whole) {
    return __builtin_bit_cast(Halves<Vector<T, kLanes / 2>>, whole);
}

template <class T, int kLanes>
struct Iota {
    T lane[kLanes];
    constexpr Iota() : lane() {
        for (int i = 0; i < kLanes; ++i) {
            lane[i] = static_cast<T>(i);
        }
    }
};

/// `lanes`, but those before `first` and from `end` on are `other`.
template <class T, int kLanes>
JITUNE_FUNCTION Vector<T, kLanes> select_lanes(Vector<T, kLanes> lanes, int first, int end,
                                               Vector<T, kLanes> other) {
    using Number = Signed<sizeof(T)>;
    static constexpr Iota<Number, kLanes> kNumbers;
    Vector<Number, kLanes> number;
    __builtin_memcpy(&number, &kNumbers, sizeof number);
    const auto inside =
        (number >= static_cast<Number>(first)) & (number < static_cast<Number>(end));
    return inside ? lanes : other;
}

}  // namespace jitune
