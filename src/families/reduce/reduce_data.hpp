// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "families/reduce/reduce_layout.hpp"
#include "families/reduce/reduce_reference.hpp"

namespace jitune::internal {

/// `count` elements of the operation's TrialData, for reductions whose runs combine at most
/// `longest` of them. A float32 sum of over 2^19 magnitudes rounds (reduce_reference.cpp), so it
/// shows a lost tile, but not every lost element. The same holds for sums of over 2^8 magnitudes
/// that are rounded to 16 bits.
std::vector<std::byte> reduce_data(const ReduceTypes& types, std::size_t count, std::size_t longest,
                                   std::mt19937_64& random);

/// Writes the element that alone decides the result into each run, for operations that have one.
/// Its place changes from run to run: first, middle, last, nowhere; `turn` selects the place in the
/// first run. For arg_min and arg_max every second run has it twice.
void plant_decisive(const ReduceTypes& types, const ReduceLayout& layout, std::size_t turn,
                    std::vector<std::byte>& data);

/// The number of kinds of special values for an operation over these elements: NaN, infinities,
/// zeros of both signs, runs of the extreme that is the value of no elements.
std::size_t specials_of(const ReduceTypes& types);

/// Writes special values into runs, another kind in each; `turn` selects the first kind.
void plant_specials(const ReduceTypes& types, const ReduceLayout& layout, std::size_t turn,
                    std::vector<std::byte>& data);

}  // namespace jitune::internal
