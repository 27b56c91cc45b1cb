// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/app/interrupt.hpp"
#include "cli/formats/json.hpp"
#include "cli/sweep/plan_file.hpp"
#include "cli/sweep/sweep_arguments.hpp"
#include "cli/sweep/sweep_family.hpp"
#include "sweep/sweep.hpp"

namespace jitune::internal {

// What the commands that sweep have in common.

/// `own` options, then those of all sweeps.
std::vector<Option> usual_sweep_options(SweepArguments& given, const std::string& device_help,
                                        std::vector<Option> own);

/// As above, with those of the search for problems that the command names.
std::vector<Option> sweep_search_options(SweepArguments& given, const std::string& device_help,
                                         std::vector<Option> own);

/// Tunes the problems of a plan, and prints the outcome. JSON has the members of `more`, too.
SweepResult run_sweep(const SweepArguments& arguments, Engine& engine,
                      const std::vector<Device*>& devices, const SweepPlan& plan,
                      SweepSearch search, const Interrupt& interrupt,
                      const Json& more = Json::object());

/// If --report asks for it, writes the page of all that the database holds, with what this sweep
/// has stored.
void report_sweep(const SweepArguments& arguments, const Options& options);

/// Does all the work of a command that tunes a plan. Returns the exit code. If there is no device,
/// the error says what else to do.
int sweep_plan_here(const SweepArguments& arguments, const SweepPlan& plan);

/// Writes the problems of a family, which `arguments` name, into the folder --plan, for `jitune
/// sweep work`. Throws Error(usage), also if the folder has something in it.
int plan_family(const SweepArguments& arguments, const SweepFamily& family);

/// As plan_family(), with the problems of a kernel of one's own.
int plan_kernel(const SweepArguments& arguments, PlannedKernel own);

/// As plan_family(), with the problems of the work-list.
int plan_worklist(const SweepArguments& arguments);

}  // namespace jitune::internal
