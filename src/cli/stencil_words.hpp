// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/sweep_result.hpp"
#include "jitune/stencil.hpp"

namespace jitune::internal {

/// 1 to Stencil::kMaxRadius. Throws Error(usage).
int parse_radius(std::string_view text);

/// "0.25,0.5,0.25". Throws Error(usage).
std::vector<double> parse_weights(std::string_view text);

/// The problems of a sweep as they are written: lists by comma.
struct StencilWords {
    std::string types = "float32";
    std::string radii = "1,8,25";
    std::string weightings = "sum";
    std::string boundaries = "valid";
    std::string sizes = "2^20,2^24,2^27";
};

/// Every combination but those that have no output. Throws Error(usage).
SweepPlan stencil_plan(const StencilWords& words);

}  // namespace jitune::internal
