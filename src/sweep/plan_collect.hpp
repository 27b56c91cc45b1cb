// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "plan/claim_folder.hpp"
#include "plan/deliveries.hpp"
#include "support/log.hpp"
#include "tuner_db/tuning_store.hpp"

namespace jitune::internal {

/// What was found in a plan for one class of devices.
struct CollectedClass {
    std::string device_class;
    std::vector<ProblemState> states;            ///< by rank
    std::map<std::size_t, double> silent_s;      ///< of claims: since the last sign of life
    std::map<std::size_t, double> held_s;        ///< of claims: since they were claimed
    std::map<std::size_t, std::string> reasons;  ///< why a task could not tune it: the last one
    std::size_t merged = 0;                      ///< databases
    std::vector<std::string> damaged;            ///< names of files that are no such databases
    std::vector<std::size_t> disputed;           ///< put up for one tuning more: see is_disputed()
    std::vector<std::size_t> lost;               ///< put up again, because no result can be read

    [[nodiscard]] std::size_t count(ProblemState::Kind kind) const;
};

/// Merges all that was delivered for a class of devices into a database.
/// Brings back the claims of dead tasks. Puts up again: problems whose results cannot be read, and
/// once those on which two tasks disagree. Tasks may work meanwhile. Throws Error(store).
CollectedClass collect_class(TuningStore& into, ClaimFolder& claims, const Deliveries& deliveries,
                             const Log& log);

/// Adds the measurements and winners of a database that a task of this user's has delivered, with
/// the binaries. A database that was merged before changes nothing. Returns its winners, without
/// their images. Throws Error(store), also if the file is no database.
std::vector<Winner> merge_delivered(TuningStore& into, const std::filesystem::path& from,
                                    const Log& log);

}  // namespace jitune::internal
