// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "space/search_space.hpp"

namespace jitune::internal {

/// At most `most` configurations of a space, 0: all of them. First `standard`, then for each
/// parameter those with its first and its last value that are nearest to `standard`, then others at
/// random, the same in each run.
std::vector<Configuration> check_sample(const SearchSpace& space, const Configuration& standard,
                                        std::size_t most);

}  // namespace jitune::internal
