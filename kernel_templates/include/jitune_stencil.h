// What the stencils of all backends share: output o of n inputs is
//     sum over j in [0, 2 radius] of weight[j] * input[o + j - reach]
// where reach is 0 for Boundary::valid, which has n - 2 radius outputs, else the radius.
#pragma once

#include "jitune_types.h"

namespace jitune {

enum class Weighting {
    sum,      ///< each weight is 1
    mean,     ///< the sum over 2 radius + 1
    weights,  ///< the caller's
};

/// What stands for inputs before the first and after the last.
enum class Boundary {
    valid,  ///< no output needs them
    zero,
    clamp,  ///< the first and the last
    wrap,   ///< those of the other end, as often as it takes
};

/// An array that is passed by value.
template <class T, int count>
struct Values {
    T values[count];
};

template <class T, Weighting weighting, int radius>
using Weights = Values<T, weighting == Weighting::weights ? 2 * radius + 1 : 1>;

/// In what the elements are added: sums of integers wrap, their mean is that of the exact sum.
template <class T, Weighting weighting>
struct Accumulation {
    using Type = T;
};
template <Weighting weighting>
struct Accumulation<int, weighting> {
    using Type = unsigned;
};
template <>
struct Accumulation<int, Weighting::mean> {
    using Type = long long;
};
template <class T, Weighting weighting>
using Accumulator = typename Accumulation<T, weighting>::Type;

/// An output from its sum. A mean of integers divides towards zero; of floats it is multiplied by
/// the reciprocal as the type rounds it.
template <class T, Weighting weighting, int radius>
JITUNE_FUNCTION T finish(Accumulator<T, weighting> sum) {
    constexpr int kCount = 2 * radius + 1;
    if constexpr (weighting != Weighting::mean) {
        return static_cast<T>(sum);
    } else if constexpr (kIsFloat<T>) {
        return sum * (T(1) / T(kCount));
    } else {
        return static_cast<T>(sum / kCount);
    }
}

template <Boundary boundary>
JITUNE_FUNCTION constexpr Index output_count(Index n, int radius) {
    return boundary == Boundary::valid ? n - 2 * radius : n;
}

/// How many elements before an output its first input lies.
template <Boundary boundary>
JITUNE_FUNCTION constexpr int reach(int radius) {
    return boundary == Boundary::valid ? 0 : radius;
}

/// Input `index` of n, which may lie outside.
template <Boundary boundary, class T>
JITUNE_FUNCTION T fetch(const T* input, Index n, long long index) {
    const auto count = static_cast<long long>(n);
    if (index >= 0 && index < count) {
        return input[index];
    }
    if constexpr (boundary == Boundary::clamp) {
        return input[index < 0 ? 0 : count - 1];
    } else if constexpr (boundary == Boundary::wrap) {
        const long long rest = index % count;
        return input[rest < 0 ? rest + count : rest];
    } else {
        return T(0);
    }
}

/// One output, some of whose inputs may lie outside.
template <Weighting weighting, Boundary boundary, int radius, class T>
JITUNE_FUNCTION T output_at(const T* input, Index n, Index output,
                            const Weights<T, weighting, radius>& weights) {
    using A = Accumulator<T, weighting>;
    const long long first = static_cast<long long>(output) - reach<boundary>(radius);
    const auto sum_of = [&](const auto& input_at) {
        A sum(0);
#ifdef __CUDA_ARCH__
#pragma unroll 8
#endif
        for (int j = 0; j <= 2 * radius; ++j) {
            const A value(input_at(first + j));
            if constexpr (weighting == Weighting::weights) {
                sum += static_cast<A>(weights.values[j]) * value;
            } else {
                sum += value;
            }
        }
        return finish<T, weighting, radius>(sum);
    };
    // Most outputs need no check of each input, between which loads would wait.
    if (boundary == Boundary::valid ||
        (first >= 0 && first + 2 * radius < static_cast<long long>(n))) {
        return sum_of([&](long long at) { return input[at]; });
    }
    return sum_of([&](long long at) { return fetch<boundary>(input, n, at); });
}

}  // namespace jitune
