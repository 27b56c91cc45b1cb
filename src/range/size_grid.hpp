// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "sizes/size_box.hpp"

namespace jitune::internal {

/// The octaves of a box, all dimensions added up.
double octaves_of(const SizeBox& box);

/// In how many dimensions a box has more than one size.
int dimensions_of(const SizeBox& box);

/// The product of the sizes.
double elements_of(const Sizes& sizes);

/// Where to search: both ends of the box, and between them sizes at most `octaves` apart in each
/// dimension. They are powers of two and odd sizes by turns, since kernels treat whole tiles apart.
/// In ascending order of the first dimension.
std::vector<Sizes> anchors_of(const SizeBox& box, double octaves);

/// Where to compare before anything is known: the ends of the box, each power of two in it and the
/// size behind, and a random size in each of `between` parts of each octave. In several dimensions,
/// both ends and a random size of each octave, combined. In random order, so that a part of them is
/// everywhere.
std::vector<Sizes> grid_of(const SizeBox& box, int between, std::mt19937_64& random);

/// Cuts a box at powers of two, above which tiles overflow, and halfway between. Leaves out as many
/// of these places as it takes to have at most 4000 cells.
std::vector<SizeBox> cells_of(const SizeBox& box);

/// The sizes in the middle of a box, by their logarithms.
Sizes middle_of(const SizeBox& box);

/// A size of which every logarithm is as likely.
Sizes random_sizes(const SizeBox& box, std::mt19937_64& random);

/// Sizes between two others, where a boundary is most likely to lie or is halved: the roundest
/// number, the size behind a round one, else the geometric mean. One of the ends where nothing lies
/// between.
Sizes between(const Sizes& low, const Sizes& high);

}  // namespace jitune::internal
