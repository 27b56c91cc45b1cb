// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "space/expression.hpp"
#include "space/value.hpp"

namespace jitune::internal {

/// A loop over the values of one parameter.
struct JoinLoop {
    std::size_t parameter = 0;
    std::vector<Expression> constraints;  ///< complete once this parameter has a value
    std::optional<Expression> wanted;     ///< the only value, if an equation gives it
};

/// Nested loops over parameters that constraints tie together, from the outermost.
using JoinGroup = std::vector<JoinLoop>;

/// Cuts the parameters into groups that no constraint connects, so that the space is the product of
/// the groups, and orders each group for nested loops: next come the parameters that complete the
/// constraint which leaves the fewest combinations, the shortest list first. `selectivities[i]` is
/// the share of combinations that satisfies `constraints[i]`. The order in which constraints and
/// parameters are written does not matter. Constraints that name no parameter are in no group.
std::vector<JoinGroup> plan_joins(std::span<const Parameter> parameters,
                                  std::span<const Expression> constraints,
                                  std::span<const double> selectivities);

}  // namespace jitune::internal
