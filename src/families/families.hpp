// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "dispatch/family.hpp"

namespace jitune::internal {

/// Every family of kernels that jitune has.
std::span<const Family> families();

}  // namespace jitune::internal
