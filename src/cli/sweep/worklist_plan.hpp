// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/sweep/sweep_family.hpp"
#include "support/log.hpp"
#include "sweep/work_order.hpp"

namespace jitune::internal {

/// A work-list's problems of one class of devices, each for the most called sizes of its item: all
/// in its order with a brief effort, and behind them the same with a full one, as WorklistSweep
/// takes them. One that this build cannot make any more is left out with a warning. `places`
/// becomes the place of each problem in `items`.
SweepPlan worklist_plan(std::span<const WorkItem> items, const std::string& device_class,
                        const Log& log, std::vector<std::size_t>& places);

/// The problems of misses, each with a full effort. A problem that this build cannot make is left
/// out with a warning, and its miss is removed from `misses`.
SweepPlan worklist_problems(std::vector<CallRecord>& misses, const Log& log);

}  // namespace jitune::internal
