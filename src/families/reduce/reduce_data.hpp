// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "families/reduce/reduce_reference.hpp"

namespace jitune::internal {

/// `count` elements for reductions whose runs combine at most `longest` of them. The result is the
/// same in every order, so that no tolerance hides a lost or doubled element:
///
/// | operation                  | floats                                   | integers          |
/// |----------------------------|------------------------------------------|-------------------|
/// | sum, mean                  | multiples of 1/256 in [-1, 1], not 0,    | full range, wrap  |
/// |                            | the second half mirrors the first        |                   |
/// | sum_abs, sum_of_squares    | multiples of 1/256, whose sum has at     | full range, wrap  |
/// |                            | most as many bits as the accumulator     |                   |
/// | norm                       | as above                                 | few, likewise     |
/// | product                    | 1, -1 and few powers of 2                | odd, wrap         |
/// | min, max, arg_*, max_abs   | multiples of 1/256 in [-1, 1]            | half the range    |
/// | all, any, count_nonzero    | none, all and half are 0 or -0           | likewise          |
/// | custom                     | multiples of 1/256 in [-1, 1)            | at most 100       |
///
/// A float32 sum of magnitudes of over 2^19 elements still rounds (reduce_reference.cpp): there a
/// lost tile is detected, but not every lost element.
std::vector<std::byte> reduce_data(const ReduceTypes& types, std::size_t count, std::size_t longest,
                                   std::mt19937_64& random);

}  // namespace jitune::internal
