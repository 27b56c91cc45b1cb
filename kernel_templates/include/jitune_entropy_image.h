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

/// What an integer sum is multiplied by to be the entropy of a window with `count` elements.
template <int window>
__device__ __forceinline__ float factor_of(int count, double scale) {
    return static_cast<float>(scale / FixedLogs<window>::one()) / static_cast<float>(count);
}

/// The entropy of a window with `count` elements, of which `sum` is the sum of n log n.
template <int window>
__device__ __forceinline__ float entropy_of(unsigned sum, int count, double scale) {
    const auto rest = static_cast<int>(kFixedLogs<window>.values[count] - sum);
    return static_cast<float>(rest) * factor_of<window>(count, scale);
}

/// How many of [at - radius, at + radius] lie in [0, size).
template <int radius>
__device__ __forceinline__ int extent_of(long long at, long long size) {
    const long long first = at - radius > 0 ? at - radius : 0;
    const long long last = at + radius < size ? at + radius : size - 1;
    return static_cast<int>(last - first + 1);
}

}  // namespace jitune
