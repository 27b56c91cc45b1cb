// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/sweep_arguments.hpp"
#include "cli/sweep_family.hpp"
#include "plan/plan_folder.hpp"
#include "support/log.hpp"
#include "tuner_db/miss.hpp"

namespace jitune::internal {

/// The file plan.json of a plan's folder. It lists the problems and says how all tasks search.
/// Problems of a family are named by the arguments of `jitune sweep`, from which every task makes
/// the same list; those of a work-list lie beside it, in worklist.json.
struct PlanFile {
    static constexpr int kFormat = 1;
    static constexpr const char* kName = "plan.json";
    static constexpr const char* kWorklist = "worklist.json";
    static constexpr const char* kHints = "hints.json";  ///< the results of --from

    std::string id;
    std::string kernel;              ///< a family, or "worklist"
    SweepArguments search = {};      ///< its device may be empty: each task chooses
    std::vector<std::size_t> order;  ///< the place of the problem of each rank in the family's list
    std::string digest;              ///< of the names of the problems by rank
    std::vector<Miss> misses = {};   ///< of a work-list, by rank

    [[nodiscard]] bool is_worklist() const { return kernel == "worklist"; }
};

/// Makes the files of a new plan. Throws Error(store).
void write_plan(const PlanFolder& folder, const PlanFile& plan);

/// Throws Error(usage) for a file that is damaged, or of a newer jitune.
PlanFile read_plan(const std::filesystem::path& folder);

/// The problems in the order of their ranks. Throws Error(usage) where this build does not make the
/// same of the file as the one that has written it.
SweepPlan planned_problems(const PlanFile& plan, const Log& log);

/// The digest of PlanFile.
std::string names_digest(const SweepPlan& plan);

/// The problems of a class of devices: all, or those of a work-list that were recorded on it.
ClaimScope scope_of(const PlanFile& plan, const std::string& device_class);

}  // namespace jitune::internal
