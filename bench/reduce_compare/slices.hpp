// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "reduce_compare/cell.hpp"

namespace jitune::bench {

/// Which values and results the calls of one chain use.
struct Slices {
    std::vector<std::size_t> starts;  ///< first value of each call
    std::size_t result_stride = 0;    ///< bytes from one call's results to the next one's
};

/// As many calls as make a chain of about a quarter of a millisecond. Cold ones read different
/// values in turn, as far as a pool of `pool_bytes` has them.
Slices slices_of(const Cell& cell, std::size_t pool_bytes);

/// What a pool must have at least for `cell`, and the bytes of its results.
std::size_t pool_bytes_for(const Cell& cell);
std::size_t result_bytes_for(const Cell& cell);

}  // namespace jitune::bench
