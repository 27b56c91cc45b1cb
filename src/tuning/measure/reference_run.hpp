// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuning/measure/rig.hpp"
#include "tuning/record/binary_cache.hpp"
#include "tuning/task.hpp"
#include "tuning/tune_hooks.hpp"

namespace jitune::internal {

/// Tells the observer that the task's data is about to be made, and the right answers if a function
/// of the caller computes them.
void announce_data(const Task& task, const TuneHooks& hooks);

/// Runs the template's reference launch if the workload does not know the right answers. Throws
/// Error(compile), Error(verify) or Error(device) that names the launch, and Error(usage) if the
/// template has none.
void learn_reference(const Task& task, Rig& rig, BinaryCache& binaries, const TuneHooks& hooks);

}  // namespace jitune::internal
