// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <vector>

#include "sizes/size_box.hpp"

namespace jitune::internal {

/// The number of dimensions in which a box has more than one size.
int dimensions_of(const SizeBox& box);

/// The sizes to search at: both ends of the box, and between them sizes at most `octaves` apart in
/// each dimension. Powers of two and odd sizes take turns, because kernels treat whole tiles
/// differently. In ascending order of the first dimension.
std::vector<Sizes> anchors_of(const SizeBox& box, double octaves);

/// The sizes to compare first: the ends of the box, each power of two in it and that number + 1,
/// and a random size in each of `between` parts of each octave. The box has one dimension with more
/// than one size. The order is random, so that any first part of the sizes is spread over the box.
std::vector<Sizes> grid_of(const SizeBox& box, int between, std::mt19937_64& random);

/// Cuts a box at powers of two, above which tiles overflow, and halfway between. Leaves out as many
/// of these places as it takes to have at most 4000 cells.
std::vector<SizeBox> cells_of(const SizeBox& box);

/// The sizes in the middle of a box, by their logarithms.
Sizes middle_of(const SizeBox& box);

/// Random sizes of the box, whose logarithms are uniformly distributed.
Sizes random_sizes(const SizeBox& box, std::mt19937_64& random);

/// A candidate for a boundary between two sizes, in each dimension: the roundest number, that
/// number + 1, or the geometric mean. One of the ends if no size lies between.
Sizes between(const Sizes& low, const Sizes& high);

}  // namespace jitune::internal
