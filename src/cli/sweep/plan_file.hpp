// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/families/kernel_problems.hpp"
#include "cli/sweep/sweep_arguments.hpp"
#include "cli/sweep/sweep_family.hpp"
#include "families/own/carried_template.hpp"
#include "plan/plan_folder.hpp"
#include "support/log.hpp"
#include "tuner_db/calls/call_record.hpp"

namespace jitune::internal {

/// A kernel of one's own whose problems are planned.
struct PlannedKernel {
    CarriedTemplate code;
    KernelProblems problems;
};

/// The file plan.json of a plan's folder. It lists the problems and says how all tasks search.
/// Problems of a family are named by the arguments of `jitune sweep`, from which every task makes
/// the same list; so are those of a kernel of one's own, which lies beside it with its arguments,
/// in template.json. The problems of a work-list are in worklist.json.
struct PlanFile {
    static constexpr int kFormat = 1;
    static constexpr const char* kName = "plan.json";
    static constexpr const char* kWorklist = "worklist.json";
    static constexpr const char* kTemplate = "template.json";
    static constexpr const char* kHints = "hints.json";  ///< the results of --from

    std::string id;
    std::string kernel;              ///< the word behind sweep: a family, "worklist" or "kernel"
    SweepArguments search = {};      ///< its device may be empty: each task chooses
    std::vector<std::size_t> order;  ///< by rank: the problem's place in unranked_problems()
    std::string digest;              ///< plan_digest()
    std::vector<CallRecord> misses = {};  ///< of a work-list, by rank
    std::optional<PlannedKernel> own = {};
    std::string why_no_own = {};  ///< why template.json cannot be used; empty: it can

    [[nodiscard]] bool is_worklist() const { return kernel == "worklist"; }
    [[nodiscard]] bool is_own() const { return kernel == "kernel"; }
};

/// Makes the files of a new plan. Throws Error(store).
void write_plan(const PlanFolder& folder, const PlanFile& plan);

/// Throws Error(usage) for a file that is damaged, of a newer jitune, or such that another user may
/// have written it. Without its template a plan of a kernel of one's own has no problems.
PlanFile read_plan(const PlanFolder& folder);

/// The problems of the plan's family or kernel of one's own, before they are ranked. Throws
/// Error(usage) if the plan's template cannot be used.
SweepPlan unranked_problems(const PlanFile& plan);

/// The problems in the order of their ranks. Throws Error(usage) if this build does not make the
/// same of the file as the one that has written it.
SweepPlan planned_problems(const PlanFile& plan, const Log& log);

/// The digest of the names of the problems by rank, and of all that a kernel of one's own is made
/// of.
std::string plan_digest(const PlanFile& plan, const SweepPlan& problems);

/// The problems of a class of devices: all, or those of a work-list that were recorded on it.
ClaimScope scope_of(const PlanFile& plan, const std::string& device_class);

}  // namespace jitune::internal
