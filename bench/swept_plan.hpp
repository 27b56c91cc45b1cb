// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/sweep/sweep_family.hpp"

namespace jitune::bench {

/// The problems of a family, or of a kernel template in a file (`subject`), that words such as
/// "--sizes=2^10..2^20" and "element=float32" name. Throws Error(usage).
internal::SweepPlan swept_plan(const std::string& subject, const std::vector<std::string>& words);

/// Throws Error(usage) that names `name` unless the text is a positive number.
std::int64_t positive(const std::string& name, const std::string& text);

}  // namespace jitune::bench
