// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "space/search_space.hpp"

namespace jitune::internal {

/// At most `most` configurations of a space, 0: all of them. The first is `standard`. Then come,
/// for each parameter, the configurations nearest to `standard` that have the parameter's first and
/// last value. The rest are random, the same in each run.
std::vector<Configuration> check_sample(const SearchSpace& space, const Configuration& standard,
                                        std::size_t most);

}  // namespace jitune::internal
