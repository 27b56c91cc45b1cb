// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "support/log.hpp"
#include "tuner_db/winners/record.hpp"
#include "tuning/record/binary_cache.hpp"
#include "tuning/search/search_plan.hpp"
#include "tuning/task.hpp"
#include "tuning/tune_hooks.hpp"
#include "tuning/tune_report.hpp"

namespace jitune::internal {

/// Finds the best configuration for a task.
///
/// Candidates are compiled in parallel ahead of the timer, checked on every case of the kernel's
/// workload, timed with a cold last-level cache and raced against the best so far. The finalists,
/// the template's default and the incumbent are timed again, interleaved; the fastest must be
/// clearly faster than the incumbent (the default where there is none), else that one stays. Runs
/// on the calling thread; compiles on others, joined before return.
///
/// Throws Error: compile, verify (no configuration gave the right result; the message counts the
/// verdicts and quotes one), device (the device was lost), unavailable (no compiler, no memory).
TuneReport tune(const Task& task, const SearchPlan& plan, const TuneHooks& hooks,
                BinaryCache& binaries, const Log& log);

}  // namespace jitune::internal
