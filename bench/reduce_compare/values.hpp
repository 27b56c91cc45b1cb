// SPDX-License-Identifier: Apache-2.0
// The numbers that are reduced: whole numbers made from their index, the same on host and device,
// so that what a reduction must answer is known exactly and nothing has to be read back for it.
#pragma once

#include <cstdint>

#include "jitune/reduction.hpp"

#ifdef __CUDACC__
#define JITUNE_BENCH_FUNCTION __host__ __device__
#else
#define JITUNE_BENCH_FUNCTION
#endif

namespace jitune::bench {

JITUNE_BENCH_FUNCTION inline std::uint32_t mixed(std::uint64_t index) {
    auto x = static_cast<std::uint32_t>(index) * 0x9E3779B1U +
             static_cast<std::uint32_t>(index >> 32) * 0x7F4A7C15U + 0x85EBCA6BU;
    x ^= x >> 16;
    x *= 0x85EBCA6BU;
    x ^= x >> 13;
    x *= 0xC2B2AE35U;
    return x ^ (x >> 16);
}

/// Which numbers. Zero-mean ones, so that the sum of 2^30 of them is exact in float32 in any order.
struct Values {
    std::int32_t lowest;
    std::uint32_t span;    ///< how many different ones
    std::uint32_t always;  ///< bits that each has: 1 makes them odd, so that products are not 0
    bool signs;            ///< 1 and -1, rarely 2 and -2, whose product is exact in floats

    bool operator==(const Values&) const = default;

    [[nodiscard]] JITUNE_BENCH_FUNCTION std::int32_t at(std::uint64_t index) const {
        const std::uint32_t x = mixed(index);
        if (signs) {
            const std::int32_t magnitude = (x >> 1 & 0xFFFFFFU) == 0 ? 2 : 1;
            return (x & 1) != 0 ? -magnitude : magnitude;
        }
        return (lowest + static_cast<std::int32_t>(x % span)) | static_cast<std::int32_t>(always);
    }
};

/// What suits `op` on elements of this type: within the type, and exact wherever that is possible.
Values values_for(ElementType element, ReduceOp op);

}  // namespace jitune::bench
