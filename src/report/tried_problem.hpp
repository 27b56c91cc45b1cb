// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "report/report_data.hpp"

namespace jitune::internal {

/// What the measurements of one key, oldest first, tell of the exact size that most of its search
/// was about; nothing where no search has tried anything. `winners` may be of any keys.
std::optional<TriedProblem> tried_problem(const std::vector<Measurement>& measurements,
                                          std::span<const Winner> winners);

}  // namespace jitune::internal
