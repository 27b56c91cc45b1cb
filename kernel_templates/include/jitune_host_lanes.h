// The operations of jitune_operations.h on all lanes of a vector at once.
#pragma once

#include "jitune_host_vector.h"
#include "jitune_operations.h"

namespace jitune {

/// An operation's map() of all lanes of a vector. `other`: vectors do not know it.
enum class Mapping { convert, square, magnitude, nonzero, other };

template <template <class, class, class> class Operation>
constexpr Mapping kMapping = Mapping::other;
template <>
inline constexpr Mapping kMapping<Sum> = Mapping::convert;
template <>
inline constexpr Mapping kMapping<Mean> = Mapping::convert;
template <>
inline constexpr Mapping kMapping<Product> = Mapping::convert;
template <>
inline constexpr Mapping kMapping<Min> = Mapping::convert;
template <>
inline constexpr Mapping kMapping<Max> = Mapping::convert;
template <>
inline constexpr Mapping kMapping<SumOfSquares> = Mapping::square;
template <>
inline constexpr Mapping kMapping<Norm> = Mapping::square;
template <>
inline constexpr Mapping kMapping<SumAbs> = Mapping::magnitude;
template <>
inline constexpr Mapping kMapping<MaxAbs> = Mapping::magnitude;
template <>
inline constexpr Mapping kMapping<CountNonzero> = Mapping::nonzero;
template <>
inline constexpr Mapping kMapping<All> = Mapping::nonzero;
template <>
inline constexpr Mapping kMapping<Any> = Mapping::nonzero;

/// True for an operation whose map() and combine() vectors know: others work on one element at a
/// time.
template <class T, class A, class R, template <class, class, class> class Operation>
constexpr bool kHasLanes = Operation<T, A, R>::kCombination != Combination::other &&
                           kMapping<Operation> != Mapping::other;

template <class T>
struct Type {
    using type = T;
};

/// Which lanes an operation works in, and how. Integers stay narrow: a `Lane` takes kSteps vectors
/// of elements, and only then goes into a `Total`.
template <class T, class A, class R, template <class, class, class> class Operation>
struct LaneRule {
    using Op = Operation<T, A, R>;
    using State = typename Op::State;
    static constexpr Combination kCombination = Op::kCombination;
    static constexpr Mapping kMapping = jitune::kMapping<Operation>;
    static constexpr bool kAdds = kCombination == Combination::add;
    static constexpr bool kOrders =
        kCombination == Combination::smallest || kCombination == Combination::largest;
    /// Sums in integer lanes take whole registers of elements: neighbours go into one lane.
    static constexpr bool kAddsExactly =
        kAdds && (!kIsFloat<A> || (!kIsFloat<T> && sizeof(T) <= 2));
    static constexpr bool kRounds = kAdds && !kAddsExactly;
    static constexpr int kSteps = 64;

    static constexpr auto lane_type() {
        if constexpr (kMapping == Mapping::nonzero) {
            return Type<Unsigned<sizeof(T)>>{};  // kSteps ones
        } else if constexpr (kOrders && kIsHalf<T>) {
            return Type<float>{};
        } else if constexpr (kOrders && kMapping == Mapping::magnitude && !kIsFloat<T>) {
            return Type<Unsigned<sizeof(T)>>{};
        } else if constexpr (kOrders) {
            return Type<T>{};
        } else if constexpr (kAddsExactly && kMapping == Mapping::square && kIsFloat<A>) {
            return Type<Unsigned<8>>{};
        } else if constexpr (kAddsExactly && kMapping != Mapping::square && sizeof(T) <= 2) {
            return Type<Wider<T>>{};  // 2 * kSteps times -128 fits 16 bits
        } else {
            return Type<typename Number<A>::Wrapping>{};
        }
    }
    using Lane = typename decltype(lane_type())::type;

    static constexpr auto total_type() {
        if constexpr (kAdds) {
            return Type<typename Number<A>::Wrapping>{};
        } else {
            return Type<Lane>{};
        }
    }
    using Total = typename decltype(total_type())::type;

    /// How many elements become a vector of so many bytes.
    static constexpr int elements(int bytes) {
        return bytes / static_cast<int>(kAddsExactly ? sizeof(T) : sizeof(Lane));
    }

    /// One lane for each element. If the operation only tells zeros from others, the lanes of
    /// others are all ones, the larger number, or 1 for counts.
    template <int kElements>
    static JITUNE_FUNCTION Vector<Lane, kElements> map_each(Vector<Stored<T>, kElements> stored) {
        using Lanes = Vector<Lane, kElements>;
        if constexpr (kMapping == Mapping::nonzero) {
            if constexpr (kIsHalf<T>) {
                stored &= 0x7fff;
            }
            const auto other = __builtin_bit_cast(Lanes, stored != 0);
            return kAdds ? other & 1 : other;
        } else if constexpr (kMapping == Mapping::square) {
            const auto lanes = value_lanes<Lane, T, kElements>(stored);
            return lanes * lanes;
        } else if constexpr (kMapping == Mapping::magnitude && kIsFloat<T>) {
            using Bits = Unsigned<sizeof(Lane)>;
            const auto lanes = value_lanes<Lane, T, kElements>(stored);
            const auto bits = __builtin_bit_cast(Vector<Bits, kElements>, lanes);
            return __builtin_bit_cast(Lanes, bits & (~Bits{0} >> 1));
        } else if constexpr (kMapping == Mapping::magnitude) {
            return convert_lanes<Lane, Unsigned<sizeof(T)>, kElements>(
                magnitudes<kElements>(stored));
        } else {
            return value_lanes<Lane, T, kElements>(stored);
        }
    }

    /// A full vector of lanes, in which elements of exact sums are with their neighbours.
    template <int kElements>
    static JITUNE_FUNCTION auto map(Vector<Stored<T>, kElements> stored) {
        if constexpr (!kAddsExactly || kMapping == Mapping::nonzero) {
            return map_each<kElements>(stored);
        } else if constexpr (kMapping == Mapping::square) {
            return squares<kElements>(stored);
        } else if constexpr (kMapping == Mapping::magnitude) {
            return add_neighbours<Lane, Unsigned<sizeof(T)>, kElements>(
                magnitudes<kElements>(stored));
        } else {
            return add_neighbours<Lane, T, kElements>(stored);
        }
    }

    /// `Value` is Lane or Total; V one or more of them.
    template <class Value, class V>
    static JITUNE_FUNCTION V combine(V a, V b) {
        if constexpr (kCombination == Combination::add) {
            return a + b;
        } else if constexpr (kCombination == Combination::multiply) {
            return a * b;
        } else if constexpr (kCombination == Combination::smallest) {
            return first_or_nan<Value>(a, b, a < b);
        } else {
            return first_or_nan<Value>(a, b, a > b);
        }
    }

    /// The element that changes no sum or product; the other operations do not need one.
    static JITUNE_FUNCTION Stored<T> neutral() {
        if constexpr (kAdds) {
            return 0;
        } else if constexpr (kIsHalf<T>) {
            return kSame<T, float16> ? 0x3c00 : 0x3f80;
        } else {
            return 1;
        }
    }

    static JITUNE_FUNCTION State state(Total total) {
        if constexpr (kMapping == Mapping::nonzero && kOrders) {
            return total != 0;
        } else {
            return static_cast<State>(total);
        }
    }

private:
    /// The magnitudes of integers, in their own width: the type has no sign, so that it holds the
    /// magnitude of the lowest.
    template <int kElements>
    static JITUNE_FUNCTION auto magnitudes(Vector<T, kElements> stored) {
        const auto magnitude = kIsSigned<T> ? (stored < 0 ? 0 - stored : stored) : stored;
        return __builtin_bit_cast(Vector<Unsigned<sizeof(T)>, kElements>, magnitude);
    }

    /// The squares of integers: a square fits twice its element's width.
    template <int kElements>
    static JITUNE_FUNCTION auto squares(Vector<T, kElements> stored) {
        if constexpr (sizeof(T) == sizeof(Lane)) {
            const auto lanes = __builtin_bit_cast(Vector<Lane, kElements>, stored);
            return lanes * lanes;
        } else {
            using Wide = Unsigned<2 * sizeof(T)>;
            using Squares = Vector<Wide, kElements / 2>;
            const auto even = __builtin_bit_cast(Squares, even_lanes<T, kElements>(stored));
            const auto odd = __builtin_bit_cast(Squares, odd_lanes<T, kElements>(stored));
            return add_neighbours<Lane, Wide, kElements / 2>(even * even) +
                   add_neighbours<Lane, Wide, kElements / 2>(odd * odd);
        }
    }

    /// Integers are spared the look for a NaN: with it, compilers do not see the minimum.
    template <class Value, class V, class Mask>
    static JITUNE_FUNCTION V first_or_nan(V a, V b, Mask first) {
        if constexpr (kIsFloat<Value>) {
            return (first | (a != a)) ? a : b;
        } else {
            return first ? a : b;
        }
    }
};

}  // namespace jitune
