// What the kernels of the windowed entropy share on a GPU.
#pragma once

#include "jitune_entropy.h"
#include "jitune_load.h"

namespace jitune {

/// The array that windows slide over, and where their entropies go.
template <class T>
struct Image {
    const T* input;
    long long rows;
    long long columns;
    double scale;  ///< of the natural entropy
    float* output;
};

template <int window>
__device__ const FixedLogs<window> kFixedLogs = FixedLogs<window>();

/// The factor that makes an integer sum the entropy of a window with `count` elements. It is a
/// quotient to half an ulp, by one step of Newton's method.
template <int window>
__device__ __forceinline__ float factor_of(int count, double scale) {
    const auto one = static_cast<float>(scale / FixedLogs<window>::one());
    const auto divisor = static_cast<float>(count);
    float reciprocal = 0;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(divisor));
    const float quotient = one * reciprocal;
    return __fmaf_rn(__fmaf_rn(-quotient, divisor, one), reciprocal, quotient);
}

/// The entropy of a window with `count` elements, of which `sum` is the sum of n log n.
template <int window>
__device__ __forceinline__ float entropy_of(unsigned sum, int count, double scale) {
    const auto rest = static_cast<int>(kFixedLogs<window>.values[count] - sum);
    return static_cast<float>(rest) * factor_of<window>(count, scale);
}

/// How many of [at - radius, at + radius] lie in [0, size), of which `at` is one; size < 2^31.
template <int radius>
__device__ __forceinline__ int extent_of(long long at, long long size) {
    const int before = static_cast<int>(at);
    const int behind = static_cast<int>(size) - 1 - before;
    return min(before, radius) + 1 + min(behind, radius);
}

}  // namespace jitune
