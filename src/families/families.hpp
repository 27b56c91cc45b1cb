#pragma once

#include <span>

#include "dispatch/family.hpp"

namespace jitune {

/// Every family of kernels that jitune has.
std::span<const Family> families();

}  // namespace jitune
