// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string_view>

#include "sweep/sweep.hpp"

namespace jitune::internal {

/// "12.5us", of ns, us, ms and s, or "1.5x"; empty: none. Throws Error(usage) that says so.
SweepTarget parse_target(std::string_view word);

/// Seconds over 0. Throws Error(usage).
std::chrono::milliseconds parse_limit(std::string_view word);

}  // namespace jitune::internal
