// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "range/comparisons.hpp"
#include "range/range_judgement.hpp"
#include "range/range_plan.hpp"

namespace jitune::internal {

/// search_range() for several dimensions, in which boundaries run at a slant and probes are far
/// apart. `known` knows nothing yet. Both must outlive the call.
std::vector<ServedRange> search_shapes(Comparisons& known, const RangePlan& plan);

}  // namespace jitune::internal
