// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "range/range_judgement.hpp"
#include "range/range_plan.hpp"

namespace jitune::internal {

/// Finds configurations for all sizes of a domain: searches at the anchors, compares what it found
/// at other sizes, searches where larger sizes take less time, fits ranges, and tests them at
/// random sizes that took no part in choosing. Tested sizes become probes, and other random sizes
/// test the result. Sizes at which every comparison was disturbed are unsure with those around
/// them. Pure: it sees times, never a clock or a device. The result has no overlaps and covers the
/// domain.
std::vector<ServedRange> search_range(RangeBench& bench, const RangePlan& plan);

}  // namespace jitune::internal
