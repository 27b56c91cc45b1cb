// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "families/reduce/reduce_reference.hpp"

namespace jitune::internal {

/// `count` elements of the operation's TrialData, for reductions whose runs combine at most
/// `longest` of them. A float32 sum of over 2^19 magnitudes rounds (reduce_reference.cpp), so it
/// shows a lost tile, but not every lost element. The same holds for sums of over 2^8 magnitudes
/// that are rounded to 16 bits.
std::vector<std::byte> reduce_data(const ReduceTypes& types, std::size_t count, std::size_t longest,
                                   std::mt19937_64& random);

}  // namespace jitune::internal
