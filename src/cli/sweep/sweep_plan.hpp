// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/sweep/plan_file.hpp"
#include "cli/sweep/sweep_arguments.hpp"
#include "cli/sweep/sweep_family.hpp"

namespace jitune::internal {

/// Writes the problems of a family, which `arguments` name, into the folder --plan, for `jitune
/// sweep work`. Throws Error(usage), also where the folder has something in it.
int plan_family(const SweepArguments& arguments, const SweepFamily& family);

/// As plan_family(), with the problems of a kernel of one's own.
int plan_kernel(const SweepArguments& arguments, PlannedKernel own);

/// As plan_family(), with the problems of the work-list.
int plan_worklist(const SweepArguments& arguments);

}  // namespace jitune::internal
