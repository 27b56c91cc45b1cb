// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dispatch/behind/stored_costs.hpp"
#include "range/range_search.hpp"
#include "support/time_source.hpp"
#include "tuning/search/search_plan.hpp"
#include "tuning/task.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

/// Searches and compares at single sizes, for a range of sizes.
class SizeTuner {
public:
    virtual ~SizeTuner() = default;

    /// As tune().
    virtual TuneReport search(const Task& task, const SearchPlan& plan) = 0;
    /// As compare().
    virtual TuneReport compare(const Task& task, const std::vector<std::string>& compared,
                               const SearchPlan& plan) = 0;
};

/// True if the winner is one by default, and its template's default has changed since: it counts as
/// missing, because nothing is known of the new default.
bool is_of_other_default(const Task& task, const Winner& winner);

/// The plan to search all sizes of a domain: one anchor in each octave, in several dimensions in
/// each two octaves. Problems of more than 2^33 elements are not compared, unless the domain begins
/// above: in one dimension it ends there, in several their neighbours' winners serve them.
RangePlan whole_range(const std::string& kernel, const SizeBox& domain, std::uint64_t seed);

/// The plan to search the sizes around a call's in about a second. The call's own sizes are the
/// only anchor.
RangePlan range_around(const Sizes& sizes, const SizeBox& domain, std::uint64_t seed);

/// How much time a search for ranges may take, and which results it has already.
struct RangeEffort {
    SearchPlan plan;                         ///< of the search at each anchor
    std::chrono::milliseconds limit;         ///< of all comparisons together
    StoredComparisons known = {};            ///< on this device, driver and compiler
    const TimeSource* time = &kMachineTime;  ///< of `limit`
};

/// Finds winners for the domain of `range`. `task` gives the problem but for its sizes. The search
/// ends with what it knows when its effort is spent, and without winners when `stop` is true. The
/// winners serve all of the domain and no size twice. Two kinds of sizes are left out: those of a
/// winner that fails when it is timed for the last time, or is slower than the template's default
/// then, and single sizes that the device has no memory for. Throws as `tuner` does, and
/// Error(verify) if all sizes are left out.
std::vector<Winner> range_winners(const Task& task, RangePlan range, const RangeEffort& effort,
                                  const std::atomic<bool>& stop, SizeTuner& tuner);

}  // namespace jitune::internal
