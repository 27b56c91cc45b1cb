// SPDX-License-Identifier: Apache-2.0
// Apart from the layouts: kernels that a test includes as C++ have element types of the same names.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace jitune::internal {

/// How n elements are divided into segments.
enum class Raggedness : std::uint8_t {
    even,          ///< lengths of 0 to about 2n / segments, some of them 0
    mostly_empty,  ///< fifteen of sixteen segments have no element
    one_huge,      ///< one in the middle; the others have 0 to 3
    last_only,     ///< all elements are in the last
    mixed,         ///< every other segment has a length of about the mean; of the others, which
                   ///< have half of the elements, most are short and few are very long
};

/// The begin of each segment, and n: segments + 1 offsets that do not decrease.
std::vector<std::int64_t> segment_offsets(std::int64_t segments, std::int64_t n,
                                          Raggedness raggedness, std::mt19937_64& random);

}  // namespace jitune::internal
