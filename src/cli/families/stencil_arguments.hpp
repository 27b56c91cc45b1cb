// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "jitune/stencil.hpp"

namespace jitune::internal {

/// 1 to Stencil::kMaxRadius. Throws Error(usage).
int parse_radius(std::string_view text);

/// "0.25,0.5,0.25". Throws Error(usage).
std::vector<double> parse_weights(std::string_view text);

}  // namespace jitune::internal
