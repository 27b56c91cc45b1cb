// What every kernel of the windowed entropy H = log N - (1/N) sum n log n knows: levels and n log n.
#pragma once

#include "jitune_types.h"

namespace jitune {

/// ln(n) for n > 0, to double precision: the series of atanh, for n halved to near 1.
JITUNE_FUNCTION constexpr double natural_log(int n) {
    constexpr double kLogOf2 = 0.693147180559945309417232121458;
    double x = n;
    int halvings = 0;
    for (; x > 1.4; x /= 2) {
        ++halvings;
    }
    const double t = (x - 1) / (x + 1);
    double power = t;
    double sum = 0;
    for (int i = 1; i < 40; i += 2) {
        sum += power / i;
        power *= t * t;
    }
    return 2 * sum + halvings * kLogOf2;
}

/// n log n in fixed point for n up to `window`^2: sums of them are exact in any order, so that an
/// entropy is (f(N) - sum f(n)) / N, and that of a window of one level exactly 0. The largest is
/// below 2^31.
template <int window>
struct FixedLogs {
    static constexpr int kMost = window * window;

    JITUNE_FUNCTION static constexpr double one() {
        double scale = 1;
        while (kMost * natural_log(kMost) * scale * 2 < 2147483648.0) {
            scale *= 2;
        }
        return scale;
    }
    JITUNE_FUNCTION static constexpr unsigned at(int n) {
        return n < 2 ? 0u : static_cast<unsigned>(n * natural_log(n) * one() + 0.5);
    }

    JITUNE_FUNCTION constexpr FixedLogs() : values() {
        for (int n = 0; n <= kMost; ++n) {
            values[n] = at(n);
        }
    }
    unsigned values[kMost + 1];
};

/// The level of an element in the lowest 5 bits, whatever is above them: what lies outside of
/// [0, levels) counts as the nearest level, a NaN as level 0. Fractions are rounded.
template <int levels>
JITUNE_FUNCTION unsigned loose_level(unsigned char value) {
    return value < levels ? value : levels - 1;
}
template <int levels>
JITUNE_FUNCTION unsigned loose_level(int value) {
    value = value < 0 ? 0 : value;
    return value < levels ? value : levels - 1;
}
template <int levels>
JITUNE_FUNCTION unsigned loose_level(float value) {
    constexpr float kIntegersFrom = 8388608;  // 2^23: floats have no fraction from here on
#ifdef __CUDA_ARCH__
    // Both run in the pipe that has nothing else to do.
    const float share = __saturatef(value * (1.0f / (levels - 1)));
    return __float_as_uint(__fmaf_rn(share, levels - 1, kIntegersFrom));
#else
    value = value > 0 ? value : 0;
    value = value < levels - 1 ? value : levels - 1;
    return __builtin_bit_cast(unsigned, value + kIntegersFrom);
#endif
}

/// The level and nothing else.
template <int levels, class T>
JITUNE_FUNCTION unsigned level_of(T value) {
    return loose_level<levels>(value) & (kIsFloat<T> ? 0x1ffu : ~0u);
}

}  // namespace jitune
