// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "reduce_compare/values.hpp"

namespace jitune::bench {

/// Everything that the operations ask about a range of Values, computed from the generator in
/// integers, by plain code that shares nothing with either side.
struct Moments {
    std::int64_t sum = 0;
    std::int64_t squares = 0;
    std::int64_t magnitudes = 0;
    std::int64_t nonzero = 0;
    std::int64_t negative = 0;
    std::int64_t twos = 0;        ///< how many are 2 or -2
    std::uint64_t product = 1;    ///< modulo 2^64
    std::int64_t lowest_at = -1;  ///< first index, from the range's start
    std::int64_t highest_at = -1;
    std::int32_t lowest = 0;
    std::int32_t highest = 0;
    double exponentials = 0;  ///< sum of exp(x - kExponentShift)

    static constexpr double kExponentShift = 127;  ///< the largest value of a float's range

    JITUNE_BENCH_FUNCTION void add(std::int32_t value, std::int64_t index);
    JITUNE_BENCH_FUNCTION void add(const Moments& other);
};

/// Of the ranges [start, start + n) for each start. Waits for the stream.
std::vector<Moments> moments(const Values& values, const std::vector<std::size_t>& starts,
                             std::size_t n, cudaStream_t stream);

}  // namespace jitune::bench
