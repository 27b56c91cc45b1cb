// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "dispatch/engine.hpp"
#include "sweep/deadline.hpp"

namespace jitune::internal {

/// The race of one winner in doubt.
struct DoubtRace {
    Doubt doubt;
    RaceReport report;
    bool is_tuned = false;  ///< no racer was as fast as was stored, so that it was tuned again
    std::string error;      ///< why it could not be raced or tuned; empty: it was
};

/// Races the winners of the device's class that are in doubt, and tunes again those that no racer
/// confirms: `plan` says how. Ends early if `hooks` stop it, and begins no race after `until`.
/// Throws Error(store) if the doubts cannot be read.
std::vector<DoubtRace> race_doubts(Engine& engine, Device& device, const SearchPlan& plan,
                                   const TuneHooks& hooks, const Deadline& until = {});

}  // namespace jitune::internal
