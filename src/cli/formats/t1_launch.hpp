// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/formats/t1_scope.hpp"

namespace jitune::internal {

/// The lines `grid`, `block` and `shared_bytes` of a template's launch, from a tuning problem in
/// T1. ProblemSize with GridDivX, Y and Z gives the grid as Kernel Tuner works it out: GlobalSize
/// is not used then, which is a line of `notes`. Throws Error(usage) that names the member.
std::string t1_launch(const ParsedJson& kernel, const T1Scope& scope,
                      std::vector<std::string>& notes);

}  // namespace jitune::internal
