// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "dispatch/behind/session_tuner.hpp"
#include "sizes/size_box.hpp"

namespace jitune::internal {

/// The tuning of a problem at its own sizes. The sizes around are compared with it later.
struct OwnTuning {
    TuneReport report;
    SizeBox around;  ///< the bucket's sizes that no other winner served when the tuning began
};

/// The winners that a tuning has found for several sizes.
struct RangeReport {
    std::vector<Winner> winners;
    bool stored = false;  ///< all of them are in the store
};

/// A tuning of a range reuses these measurements of earlier searches. It reuses comparisons only if
/// they are undisturbed.
enum class Reuse {
    nothing,
    undisturbed,  ///< those that other processes did not disturb
    all
};

// Those that tune throw as SessionTuner::tune() does.

/// Tunes the problem at its own sizes and stores the winner. For a task whose workload is prepared.
OwnTuning tune_own(SessionTuner& tuner, const Task& task, const SearchPlan& plan,
                   const TuneHooks& hooks);

/// Finds winners for the sizes around those of the task's `own` tuning. The comparisons take at
/// most half of the budget. Stores the winners. One of them serves the problem's sizes and is not
/// unsure. If `hooks` stop the search, this one is the only winner. For a task whose workload is
/// prepared.
RangeReport widen(SessionTuner& tuner, const Task& task, const OwnTuning& own,
                  const SearchPlan& plan, const TuneHooks& hooks);

/// Calls tune_own(), then widen().
RangeReport tune_around(SessionTuner& tuner, const Task& task, const SearchPlan& plan,
                        const TuneHooks& hooks);

/// Finds winners for all sizes of `domain` and stores them; they replace the winners that are
/// stored for these sizes. Each search at single sizes takes a third of the plan's budget, in
/// several dimensions a sixth; the
/// comparisons between sizes take three quarters of a budget for each octave. Takes searches and
/// comparisons of this device, driver and compiler from the database instead of repeating them, as
/// `reuse` allows. Returns no winners if `hooks` stop it. The task's own sizes are not used.
RangeReport tune_range(SessionTuner& tuner, const Task& task, const SizeBox& domain,
                       const SearchPlan& plan, const TuneHooks& hooks, Reuse reuse);

/// The parts of `domain` that no stored winner serves. Only sure winners of this device, driver and
/// compiler count, and only if `reuse` takes their measurements.
std::vector<SizeBox> unserved(SessionStore& store, const Task& task, const SizeBox& domain,
                              Reuse reuse);

/// The stored winners that serve sizes of `domain`, without their images.
std::vector<Winner> winners_of(SessionStore& store, const Task& task, const SizeBox& domain);

}  // namespace jitune::internal
