// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "families/stencil/stencil_problem.hpp"
#include "template/kernel.hpp"

namespace jitune::internal {

inline constexpr std::string_view kStencilFamily = "stencil";  ///< Family::name

/// The built-in kernel for a platform that compiles code. Parsed once.
const Kernel& stencil_kernel(PlatformKind platform);

/// The kernel of a Kernel::spec that stencil_kernel() has made: the family and the platform. Throws
/// Error(usage) for a malformed spec.
Kernel stencil_kernel_of(std::span<const std::string> spec);

}  // namespace jitune::internal
