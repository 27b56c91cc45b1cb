// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/formats/json_file.hpp"

namespace jitune::internal {

/// The lines `options` and `include_folders` of a template, from `CompilerOptions` of a tuning
/// problem in T1. Adds a line to `notes` for what NVRTC does anyway. Throws Error(usage).
std::string t1_options(const ParsedJson& kernel, std::vector<std::string>& notes);

}  // namespace jitune::internal
