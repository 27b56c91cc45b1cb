// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "check/finding.hpp"

namespace jitune::internal {

/// The errors and warnings in what NVRTC, g++ or clang++ says, each once: "k.cu(12): error: …" and
/// "k.cu:12:5: error: …". The line of code and the mark below are the excerpt.
std::vector<Finding> read_compiler_log(std::string_view log);

}  // namespace jitune::internal
