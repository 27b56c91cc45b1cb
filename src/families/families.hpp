// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "dispatch/family.hpp"

namespace jitune::internal {

/// All families of kernels.
std::span<const Family> families();

}  // namespace jitune::internal
