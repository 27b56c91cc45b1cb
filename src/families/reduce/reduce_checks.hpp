// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "families/reduce/reduce_layout.hpp"

namespace jitune::internal {

/// A layout that candidates must reduce correctly before they are timed.
struct ReduceCheck {
    ReduceLayout layout;
    std::size_t offset;  ///< elements past an aligned address
};

/// Difficult layouts of a shape, below 10^6 elements in total: short and long runs, few and many,
/// with every misalignment that a pack can have.
std::vector<ReduceCheck> reduce_checks(ReduceKind kind, std::mt19937_64& random);

/// A small layout with as many runs as the shape allows, for special values.
ReduceCheck special_check(ReduceKind kind, std::mt19937_64& random);

}  // namespace jitune::internal
