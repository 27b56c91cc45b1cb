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
/// default against each other at the sizes of `task`: tune() without a search. They are checked on
/// the problem itself alone, since a search at other sizes has run the check cases, and each is
/// compiled alone. Configurations that the task's constraints exclude are left out; those that only
/// the prune expressions exclude are timed.
///
/// The report has a measurement of the finals for each configuration that is close to the fastest,
/// and one of a few samples for the others. Its winner is the first of `plan.compared`, or the
/// fastest where that one fails; it has no configuration where all fail, and where `hooks` stop the
/// comparison before all are timed. Throws as tune() does, but
/// never for the want of a winner.
TuneReport compare(const Task& task, const SearchPlan& plan, const TuneHooks& hooks,
                   BinaryCache& binaries, const Log& log);

}  // namespace jitune::internal
