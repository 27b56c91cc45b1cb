// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "cli/tune/steps_report.hpp"

namespace jitune::internal {

/// One line for each step of the sum. `tuned`: every configuration of each step was tried, too.
StepsView reduction_steps_view(bool tuned);

/// One line for each radius: the time of the article's first kernel, and how many times faster the
/// others are.
StepsView stencil_steps_view();

/// One line for each version, one column for each input.
StepsView entropy_steps_view(std::span<const StepInput> inputs);

}  // namespace jitune::internal
