// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace jitune::internal {

/// A bucket says how large each size of a problem is: round(2 log2(size)) half-octaves, 8 bits for
/// each size, the first size in the lowest. From the fourth size on, all enter as their product.
/// So the bucket of a single size is that size's half-octaves.
inline constexpr int kBucketBits = 8;
inline constexpr std::size_t kBucketSizes = 4;

/// The half-octaves of size number `size`, which is below kBucketSizes.
constexpr std::int64_t half_octaves(std::int64_t bucket, std::size_t size) {
    constexpr std::int64_t kMask = (1 << kBucketBits) - 1;
    return bucket >> (size * kBucketBits) & kMask;
}

}  // namespace jitune::internal
