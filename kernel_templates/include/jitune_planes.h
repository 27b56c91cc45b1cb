// Many small numbers at once, in bit planes: bit i of plane j is bit j of number i.
#pragma once

#include "jitune_types.h"

namespace jitune {

/// How many bits hold every number up to n.
JITUNE_FUNCTION constexpr int bits_for(int n) {
    return n == 0 ? 0 : 1 + bits_for(n / 2);
}

template <class Word>
JITUNE_FUNCTION Word majority(Word a, Word b, Word c) {
    return (a & b) | (a & c) | (b & c);
}

/// Plane `plane` of a sum, and those above it: the bits of `count` numbers and the carries from the
/// plane below, three by three in full adders.
template <int plane, int carry_count, int planes, class Word, int count, int width>
JITUNE_FUNCTION void add_planes(const Word (&numbers)[count][width], const Word* carries,
                                Word (&sum)[planes]) {
    if constexpr (plane < planes) {
        constexpr int kBits = carry_count + (plane < width ? count : 0);
        constexpr int kOwn = kBits - carry_count;
        Word bits[kBits + 1];
        Word next[kBits / 2 + 1];
#pragma unroll
        for (int i = 0; i < kBits; ++i) {
            bits[i] = i < kOwn ? numbers[i < kOwn ? i : 0][plane < width ? plane : 0]
                               : carries[i < kOwn ? 0 : i - kOwn];
        }
        Word digit = bits[0];
#pragma unroll
        for (int i = 1; i + 1 < kBits; i += 2) {
            next[i / 2] = majority(digit, bits[i], bits[i + 1]);
            digit = digit ^ bits[i] ^ bits[i + 1];
        }
        if constexpr (kBits % 2 == 0) {
            next[kBits / 2 - 1] = digit & bits[kBits - 1];
            digit = digit ^ bits[kBits - 1];
        }
        sum[plane] = digit;
        add_planes<plane + 1, kBits / 2>(numbers, next, sum);
    }
}

/// The sum of `count` numbers of `width` bits, which must fit in `planes` bits.
template <int planes, class Word, int count, int width>
JITUNE_FUNCTION void sum_of(const Word (&numbers)[count][width], Word (&sum)[planes]) {
    add_planes<0, 0>(numbers, static_cast<const Word*>(nullptr), sum);
}

}  // namespace jitune
