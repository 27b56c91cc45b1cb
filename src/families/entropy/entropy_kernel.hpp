// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "families/entropy/entropy_problem.hpp"
#include "template/kernel.hpp"

namespace jitune::internal {

inline constexpr std::string_view kEntropyFamily = "entropy";  ///< Family::name

/// The built-in kernel for a platform that compiles code. Parsed once.
const Kernel& entropy_kernel(PlatformKind platform);

/// The kernel of a Kernel::spec that entropy_kernel() has made: the family and the platform. Throws
/// Error(usage) for a malformed spec.
Kernel entropy_kernel_of(std::span<const std::string> spec);

}  // namespace jitune::internal
