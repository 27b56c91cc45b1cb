// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "support/log.hpp"
#include "tuner_db/winners/record.hpp"
#include "tuning/record/binary_cache.hpp"
#include "tuning/search/search_plan.hpp"
#include "tuning/task.hpp"
#include "tuning/tune_hooks.hpp"

namespace jitune::internal {

/// The outcome of a tuning.
struct TuneReport {
    Winner winner;  ///< with its own image, compiled alone
    /// One per configuration evaluated here, and one more per finalist.
    std::vector<Measurement> measurements;
    /// SearchPlan::history of the search: what earlier tunings have measured.
    std::vector<Measurement> history;
    std::string incumbent;  ///< SearchPlan::incumbent of the search
    TuneProgress progress;  ///< the progress at the end
    bool stored = false;    ///< the winner is in the store, where Engine has put it
    bool kept = false;      ///< `winner` is the one stored before, to which the tuned one yields()
};

/// Finds the best configuration for a task.
///
/// Candidates are compiled in parallel ahead of the timer, checked on every case of the kernel's
/// workload and timed with a cold last-level cache, but not for long if they are slower than the
/// best so far. The finalists, the template's default and the incumbent are timed again,
/// interleaved; the fastest must be clearly faster than the incumbent (the default where there is
/// none), else that one stays. Runs on the calling thread; compiles on others, joined before
/// return.
///
/// Throws Error: compile, verify (no configuration gave the right result; the message counts the
/// verdicts and quotes one), device (the device was lost), unavailable (no compiler, no memory).
TuneReport tune(const Task& task, const SearchPlan& plan, const TuneHooks& hooks,
                BinaryCache& binaries, const Log& log);

/// Times the configurations `compared`, of which there is at least one, and the template's default
/// against each other at the sizes of `task`. There is no search: of the plan, its budget, its
/// history, its suspects and `brief` count. Checks the configurations only on the problem itself,
/// because a search at other sizes has run the check cases. Compiles each of them alone. Leaves out
/// configurations that the task's constraints exclude, but times those that only the prune
/// expressions exclude.
///
/// The report has a measurement of the finals for each configuration that is close to the fastest,
/// and one of a few samples for the others; SearchPlan::brief leaves the finals out. Its winner is
/// the first of `compared`, or the fastest if that one fails; it has no configuration without
/// finals, if all fail, and if `hooks` stop the comparison before all are timed. Throws as tune()
/// does, but never for the want of a winner.
TuneReport compare(const Task& task, const std::vector<std::string>& compared,
                   const SearchPlan& plan, const TuneHooks& hooks, BinaryCache& binaries,
                   const Log& log);

}  // namespace jitune::internal
