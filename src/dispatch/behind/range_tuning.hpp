// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "dispatch/behind/stored_costs.hpp"
#include "range/range_search.hpp"
#include "tuning/search/search_plan.hpp"
#include "tuning/task.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

/// Tunes a task at its sizes, or compares configurations there: Engine::tune_and_store().
using TuneTask = std::function<TuneReport(const Task&, const SearchPlan&)>;

/// How all sizes of a domain are searched: at an anchor for each octave, in several dimensions for
/// each three octaves. A single size above 2^33 is left out, unless the domain begins above.
RangePlan whole_range(const SizeBox& domain, std::uint64_t seed);

/// How the sizes around those of a call are searched, which are the only anchor: within about a
/// second.
RangePlan range_around(const Sizes& sizes, const SizeBox& domain, std::uint64_t seed);

/// How much a search for ranges may take, and what it need not take again.
struct RangeEffort {
    SearchPlan plan;                  ///< of the search at each anchor
    std::chrono::milliseconds limit;  ///< of all comparisons together
    StoredComparisons known = {};     ///< on this device, driver and compiler
    /// TuneHooks::rested
    std::shared_ptr<const std::chrono::nanoseconds> rested =
        std::make_shared<std::chrono::nanoseconds>(0);
    const TimeSource* time = &kMachineTime;  ///< of `limit`
};

/// Finds winners for the domain of `range`. `task` gives the problem but for its sizes. The search
/// ends with what it knows once its effort is spent; once `stop` is true, without winners. The
/// winners serve all of the domain and no size twice; but where one of them fails when it is timed
/// for the last time, or is slower than the template's default then, its sizes are left out, and so
/// are single sizes that the device has no memory for. Throws as `tune` does, and Error(verify)
/// where all of them are left out.
std::vector<Winner> tune_range(const Task& task, RangePlan range, const RangeEffort& effort,
                               const std::atomic<bool>& stop, const TuneTask& tune);

}  // namespace jitune::internal
