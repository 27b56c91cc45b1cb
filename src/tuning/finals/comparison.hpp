// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/log.hpp"
#include "tuning/record/binary_cache.hpp"
#include "tuning/search/search_plan.hpp"
#include "tuning/task.hpp"
#include "tuning/tune_hooks.hpp"
#include "tuning/tune_report.hpp"

namespace jitune::internal {

/// Times the configurations of `plan.compared`, of which there is at least one, and the template's
/// default against each other at the sizes of `task`: tune() without a search. Checks them only on
/// the problem itself, because a search at other sizes has run the check cases. Compiles each of
/// them alone. Leaves out configurations that the task's constraints exclude, but times those that
/// only the prune expressions exclude.
///
/// The report has a measurement of the finals for each configuration that is close to the fastest,
/// and one of a few samples for the others. Its winner is the first of `plan.compared`, or the
/// fastest if that one fails. The winner has no configuration if all of them fail, or if `hooks`
/// stop the comparison before all are timed. Throws as tune() does, but does not throw if there is
/// no winner.
TuneReport compare(const Task& task, const SearchPlan& plan, const TuneHooks& hooks,
                   BinaryCache& binaries, const Log& log);

}  // namespace jitune::internal
