// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "measure/timing_rules.hpp"
#include "tuning/finals/finalist.hpp"
#include "tuning/measure/rig.hpp"
#include "tuning/task.hpp"
#include "tuning/tune_hooks.hpp"

namespace jitune::internal {

/// Takes the failure of a configuration that the search has timed.
using Refute = std::function<void(const Evaluation&, const TrialFailure&)>;

/// Times `chosen`, which have binaries, once more: one sample of each in turn and in changing
/// order, so that drifting clocks affect all alike. The observer is told before each sample. A
/// round waits for its turn. `rule` says how many rounds are enough; the `limit`, if there is one,
/// and a stop request cut them short, but not below the fewest that bound a ratio.
///
/// The first of the result is the winner: the last of the `seeds` (the incumbent before the
/// default) unless another is clearly faster in the comparison round by round. Finalists that fail
/// here are left out, and `refute` gets each of them at once; the result is empty if nothing was
/// timed. Throws Error(device) when the device is lost.
std::vector<Finalist> run_finals(const Task& task, Rig& rig,
                                 const std::vector<const Evaluation*>& chosen,
                                 const std::vector<std::size_t>& seeds,
                                 std::optional<std::chrono::milliseconds> limit,
                                 const TuneHooks& hooks, const Refute& refute,
                                 const FinalRule& rule = {});

}  // namespace jitune::internal
