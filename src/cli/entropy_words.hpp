// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cli/sweep_result.hpp"
#include "jitune/entropy.hpp"

namespace jitune::internal {

/// The problems of a sweep as they are written: lists by comma.
struct EntropyWords {
    std::string types = "float32";
    std::string windows = "5";
    std::string levels = "16";
    std::string sizes = "400x400,2560x2560,10240x10240";
};

/// Every combination, types outside, then windows, levels and sizes. Throws Error(usage) for one
/// that there is not, so that a sweep either begins whole or not at all.
SweepPlan entropy_plan(const EntropyWords& words);

/// An entropy of the natural logarithm. Throws Error(usage) for words that are no such numbers.
Entropy parse_entropy(std::string_view window, std::string_view levels);

/// Throws Error(usage) for a type that levels are not stored as.
void refuse_other_elements(ElementType type);

}  // namespace jitune::internal
