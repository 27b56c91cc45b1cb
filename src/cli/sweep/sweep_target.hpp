// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "sweep/sweep.hpp"

namespace jitune::internal {

/// A time such as "12.5us" (in ns, us, ms or s) or a speed-up such as "1.5x"; no target for an
/// empty text. Throws Error(usage).
SweepTarget parse_target(std::string_view word);

}  // namespace jitune::internal
