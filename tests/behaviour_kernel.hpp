#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel.hpp"
#include "engine/problem.hpp"

namespace jitune {

/// A sum of n int32 with a parameter `behaviour` that selects how a candidate goes wrong, and a
/// parameter `copy` (1 to 4) that makes several of each. Its spec is "behaviour", the backend
/// ("host" or "cuda") and the behaviours that there are.
Kernel behaviour_kernel(std::span<const std::string> spec);

Problem behaviour_problem(std::int64_t n);

}  // namespace jitune
